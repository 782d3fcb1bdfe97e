import { asMetadata, asMetadataList, asTable, mergePatch } from '../headers.ts';
import type { Suite } from '../scenario.ts';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

/** Resources that are computed on request, not stored. */
export const suite: Suite = {
  scenarios: {
    'a scale has columns of its own': [
      { send: 'POST apps/v1:deployments', body: deployment },
      { send: 'GET apps/v1:deployments/a/scale', headers: asTable },
      { send: 'GET apps/v1:deployments/a/scale?includeObject=None', headers: asTable },
      { send: 'GET apps/v1:deployments/a/scale', headers: asMetadata },
      { send: 'GET apps/v1:deployments/a/scale', headers: asMetadataList },
      {
        send: 'PATCH apps/v1:deployments/a/scale',
        body: { spec: { replicas: 5 } },
        headers: { ...mergePatch, ...asTable },
      },
    ],
    'components are selected and shown like objects': [
      { send: 'GET v1::componentstatuses?fieldSelector=metadata.name%3Detcd-0' },
      { send: 'GET v1::componentstatuses?fieldSelector=metadata.name%3Detcd-0', headers: asTable },
      { send: 'GET v1::componentstatuses?fieldSelector=metadata.name%3Detcd-0', headers: asMetadataList },
      { send: 'GET v1::componentstatuses?fieldSelector=metadata.name%3Detcd-0', headers: asMetadata },
      { send: 'GET v1::componentstatuses?fieldSelector=metadata.name%3Dnothing' },
      { send: 'GET v1::componentstatuses?fieldSelector=spec.nothing%3Dx' },
      { send: 'GET v1::componentstatuses?labelSelector=a%3Db' },
      { send: 'GET v1::componentstatuses/etcd-0' },
      { send: 'GET v1::componentstatuses/etcd-0', headers: asTable },
      { send: 'GET v1::componentstatuses/nothing' },
    ],
    'a server that answers is ready': [{ send: 'GET /readyz' }, { send: 'GET /livez' }, { send: 'GET /healthz/etcd' }],
  },
};
