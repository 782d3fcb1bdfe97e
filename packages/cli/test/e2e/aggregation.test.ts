import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from './binaries.ts';
import { CoxApiServer } from './cox-apiserver.ts';
import { Shell } from './shell.ts';

/*
 * Two API servers in separate processes. The front server only knows that a service serves flunders. The back server
 * serves them as custom resources, and trusts the front server's headers for the user.
 */

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: flunders.wardle.example.com}
spec:
  group: wardle.example.com
  scope: Namespaced
  names: {plural: flunders, singular: flunder, kind: Flunder, shortNames: [fl]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Colour, type: string, jsonPath: .spec.colour}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {colour: {type: string, description: How it looks.}}}
`;

const flunder = (name: string, colour: string): string =>
  `{apiVersion: wardle.example.com/v1, kind: Flunder, metadata: {name: ${name}}, spec: {colour: ${colour}}}`;

describe.skipIf(!findBinary('kubectl'))('an API server behind another', () => {
  let directory: string;
  let front: CoxApiServer;
  let behind: CoxApiServer;
  let here: Shell;
  let there: Shell;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cox-e2e-aggregation-'));
    front = await CoxApiServer.start();
    behind = await CoxApiServer.start(
      `--requestheader-client-ca-file=${join(front.directory, 'pki', 'front-proxy-ca.crt')}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    );
    [here, there] = [new Shell(front.kubeconfig), new Shell(behind.kubeconfig)];
    await there.run(`kubectl apply -f - <<'E'\n${definition}E`);
    await there.run('kubectl wait --for=condition=Established crd/flunders.wardle.example.com');
  }, 60_000);
  afterAll(async () => {
    here?.close();
    there?.close();
    await front?.stop();
    await behind?.stop();
    rmSync(directory, { recursive: true });
  }, 60_000);

  it('is unavailable while its service does not exist', async () => {
    await here.run(`kubectl apply -f - <<'E'
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.wardle.example.com}
spec:
  group: wardle.example.com
  version: v1
  groupPriorityMinimum: 2000
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {namespace: default, name: wardle, port: ${behind.port}}
E`);
    await here.run('kubectl wait --for=condition=Available=false apiservice/v1.wardle.example.com');
    expect(await here.run('kubectl get apiservice v1.wardle.example.com --no-headers')).toBe(
      'v1.wardle.example.com   default/wardle   False (ServiceNotFound)   <age>',
    );
    expect(
      await here.run(`kubectl get apiservice v1.wardle.example.com -o jsonpath='{.status.conditions[0].message}'`),
    ).toBe('service/wardle in "default" is not present');
    expect(await here.run('kubectl get --raw /apis/wardle.example.com/v1')).toBe(
      'Error from server (ServiceUnavailable): the server is currently unable to handle the request\n[exit 1]',
    );
  });

  it('is available when its service exists', async () => {
    await here.run('kubectl create service externalname wardle --external-name localhost');
    expect(
      await here.run('kubectl wait --for=condition=Available --timeout=30s apiservice/v1.wardle.example.com'),
    ).toBe('apiservice.apiregistration.k8s.io/v1.wardle.example.com condition met');
  });

  it('has its resources in discovery', async () => {
    expect(await here.run('kubectl api-resources --api-group=wardle.example.com')).toBe(
      'NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND\nflunders   fl   wardle.example.com/v1   true   Flunder',
    );
    expect(await here.run('kubectl get --raw /apis/wardle.example.com')).toContain(
      '"groupVersion":"wardle.example.com/v1"',
    );
  });

  it('has its types in OpenAPI', async () => {
    // OpenAPI is fetched some time after the group has become available.
    const explain = 'kubectl explain flunder.spec.colour';
    expect(await here.run(`for n in $(seq 100); do ${explain} 2> /dev/null && break; sleep 0.1; done`)).toContain(
      'How it looks.',
    );
    expect(await here.run(`kubectl get --raw /openapi/v2 | grep -o '"com.example.wardle.v1.Flunder"' | head -1`)).toBe(
      '"com.example.wardle.v1.Flunder"',
    );
  });

  it('can be written and read through the front server', async () => {
    expect(await here.run(`kubectl apply -f - <<<'${flunder('a', 'red')}'`)).toBe(
      'flunder.wardle.example.com/a created',
    );
    expect(await here.run(`kubectl patch fl a --type=merge -p '{"spec":{"colour":"blue"}}'`)).toBe(
      'flunder.wardle.example.com/a patched',
    );
    expect(await here.run('kubectl get fl')).toBe('NAME   COLOUR\na   blue');
    expect(await there.run('kubectl get fl -o jsonpath="{.items[*].spec.colour}"')).toBe('blue');
  });

  it('streams watches through the front server', async () => {
    const flunders = '/apis/wardle.example.com/v1/flunders';
    const watched = here.run(`kubectl get --raw '${flunders}?watch=true&timeoutSeconds=3'`);
    await here.run(`kubectl apply -f - <<<'${flunder('b', 'green')}'`);
    expect(await watched).toMatch(/"type":"ADDED".*"name":"b"/);
  });

  it('gets the user’s identity, and authorizes the request itself', async () => {
    expect(await here.run('kubectl get fl --as=alice --as-group=dev')).toContain(
      'User "alice" cannot list resource "flunders"',
    );
    await here.run('kubectl create clusterrole flunders --verb=list --resource=flunders.wardle.example.com');
    await here.run('kubectl create clusterrolebinding flunders --clusterrole=flunders --group=dev');
    // The front server authorizes her now; the back server still does not.
    expect(await here.run('kubectl get fl --as=alice --as-group=dev')).toContain(
      'User "alice" cannot list resource "flunders"',
    );
    await there.run('kubectl create clusterrole flunders --verb=list --resource=flunders.wardle.example.com');
    await there.run('kubectl create clusterrolebinding flunders --clusterrole=flunders --group=dev');
    expect(await here.run('kubectl get fl --as=alice --as-group=dev -o name')).toContain(
      'flunder.wardle.example.com/a',
    );
  });

  it('disappears from discovery with its APIService', async () => {
    await here.run('kubectl delete apiservice v1.wardle.example.com');
    expect(await here.run('kubectl api-resources --api-group=wardle.example.com --no-headers')).toBe('');
    expect(await here.run('kubectl get --raw /apis/wardle.example.com/v1/flunders')).toContain('NotFound');
  });
});
