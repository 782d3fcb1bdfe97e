import { expect, it } from 'vitest';
import { AdmissionChain, type AdmissionPlugin } from './admission.ts';
import { attributesOf } from './plugin-runner.test-data.ts';

const noting = (name: string, seen: string[], more: Partial<AdmissionPlugin>): AdmissionPlugin => ({
  name,
  operations: ['CREATE'],
  admit: () => void seen.push(`${name} admits`),
  validate: async () => void seen.push(`${name} validates`),
  ...more,
});

it('calls the plug-ins for the resource and operation in their order, first admit and then validate', async () => {
  const seen: string[] = [];
  const chain = new AdmissionChain([
    noting('pods', seen, { resources: ['pods', 'pods/status'] }),
    noting('all', seen, {}),
    noting('ingresses', seen, { resources: ['ingresses.networking.k8s.io'] }),
    noting('nobody', seen, { resources: [] }),
    noting('deletions', seen, { operations: ['DELETE'] }),
  ]);
  const see = async (send: `CREATE ${string}`): Promise<string[]> => {
    seen.length = 0;
    const attributes = attributesOf({ send });
    await chain.admit(attributes);
    await chain.validate(attributes);
    return [...seen];
  };
  const both = ['pods admits', 'all admits', 'pods validates', 'all validates'];
  expect(await see('CREATE v1 pods Pod')).toEqual(both);
  expect(await see('CREATE v1 pods/status Pod')).toEqual(both);
  expect(await see('CREATE v1 pods/binding Binding')).toEqual(['all admits', 'all validates']);
  expect(await see('CREATE metrics/v1 pods Pod')).toEqual(['all admits', 'all validates']);
  expect(await see('CREATE networking.k8s.io/v1 ingresses Ingress')).toEqual([
    'all admits',
    'ingresses admits',
    'all validates',
    'ingresses validates',
  ]);
});

it('reports which operations have plug-ins', () => {
  const chain = new AdmissionChain([noting('a', [], { operations: ['CREATE', 'CONNECT'] })]);
  expect(chain.handles('CONNECT')).toBe(true);
  expect(chain.handles('DELETE')).toBe(false);
});

it('closes its plug-ins', () => {
  const closed: string[] = [];
  new AdmissionChain([noting('a', [], { close: () => void closed.push('a') }), noting('b', [], {})]).close();
  expect(closed).toEqual(['a']);
});
