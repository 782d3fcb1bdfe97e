import { isNotFound } from '@coxswain/apimachinery';
import type { Activity, Churn } from './activity.ts';
import { apply, create, get, merge, remove, until, untilGone } from './calls.ts';

/**
 * One in this many kinds lives long enough to be seen by clients that follow all kinds, such as the garbage collector.
 */
const longLived = 3;
const longLifeMs = 45_000;
/** One in this many kinds has the name of an earlier one. */
const recurring = 4;

/** A custom kind is defined, used and deleted. */
export const customKinds: Activity = {
  name: 'custom kinds',
  perMinute: 6,
  atOnce: 8,
  async run(churn, turn) {
    const { rest, sleep } = churn;
    const isRecurring = turn % recurring === 0;
    const group = isRecurring ? `again${(turn / recurring) % 8}.soak.example` : `g${turn}.soak.example`;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;
    await create(rest, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(group));
    try {
      const base = `/apis/${group}/v1/namespaces/${churn.namespace}/widgets`;
      await until(churn, `${base} to be served`, () => isServed(churn, base));
      for (let index = 0; index < 5; index++) await useOne(churn, group, base, `widget-${index}`);
      await get(rest, `/apis/${group}/v1beta1/widgets`, { limit: 2 });
      await get(rest, `/openapi/v3/apis/${group}/v1`);
      await get(rest, `/apis/${group}/v1`);
      await sleep(turn % longLived === 0 ? longLifeMs : 2000);
    } finally {
      await remove(rest, path);
    }
    await untilGone(churn, path);
  },
};

async function useOne({ rest }: Churn, group: string, base: string, name: string): Promise<void> {
  const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec: { replicas: 2 } };
  await create(rest, base, widget);
  await merge(rest, `${base}/${name}`, { spec: { text: 'x'.repeat(200) } });
  await apply(rest, `${base}/${name}`, { ...widget, spec: { replicas: 3, list: [{ name: 'a' }] } }, 'soak');
  await merge(rest, `${base}/${name}/status`, { status: { replicas: 3 } });
  await get(rest, `${base}/${name}/scale`);
}

async function isServed({ rest }: Churn, base: string): Promise<boolean> {
  try {
    await get(rest, base);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function definition(group: string): Readonly<Record<string, unknown>> {
  const version = (name: string, storage: boolean): object => ({
    name,
    storage,
    served: true,
    schema: { openAPIV3Schema: schema },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    additionalPrinterColumns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }],
  });
  return {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wg'] },
      versions: [version('v1', true), version('v1beta1', false)],
    },
  };
}

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      'x-kubernetes-validations': [{ rule: 'self.replicas <= 10', message: 'too many' }],
      properties: {
        replicas: { type: 'integer', default: 1 },
        text: { type: 'string', maxLength: 1000 },
        list: {
          type: 'array',
          maxItems: 20,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 20 } } },
        },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};
