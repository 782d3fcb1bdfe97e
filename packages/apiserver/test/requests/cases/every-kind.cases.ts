import { applyPatch, asTable, jsonPatch, mergePatch, strategicPatch } from '../headers.ts';
import { type MinimalObject, minimalObjects } from '../minimal-objects.ts';
import { edited, type Step, type Suite } from '../scenario.ts';

const apiVersionOf = (collection: string): string => collection.split(':', 1)[0]!;
/** All operations that every kind has, from creation to deletion. */
function life({ collection, kind, content, change, status, name = '{{ns}}-x' }: MinimalObject): Step[] {
  const apiVersion = apiVersionOf(collection);
  const item = `${collection}/${name}`;
  const labels = { case: '{{ns}}' };
  const object = { apiVersion, kind, metadata: { name, labels }, ...content };
  return [
    { send: `POST ${collection}?dryRun=All`, body: object },
    { send: `POST ${collection}`, body: object, as: 'made' },
    { send: `POST ${collection}`, body: object },
    { send: `GET ${item}`, as: 'read' },
    { send: `GET ${collection}?labelSelector=case%3D{{ns}}` },
    { send: `GET ${collection}?fieldSelector=metadata.name%3D${name}&limit=1`, headers: asTable },
    { send: `PUT ${item}?fieldManager=other`, body: edited('read', { 'metadata.annotations': { put: '1' } }) },
    { send: `PUT ${item}`, body: edited('read', { 'metadata.annotations': { put: '2' } }) },
    ...(change ? [{ send: `PATCH ${item}?fieldManager=third`, body: change, headers: mergePatch }] : []),
    { send: `PATCH ${item}`, body: [{ op: 'add', path: '/metadata/labels/j', value: '1' }], headers: jsonPatch },
    { send: `PATCH ${item}`, body: { metadata: { labels: { j: null } } }, headers: strategicPatch },
    {
      send: `PATCH ${item}?fieldManager=applier&dryRun=All`,
      body: { apiVersion, kind, metadata: { name, labels: { case: 'other' } } },
      headers: applyPatch,
    },
    {
      send: `PATCH ${item}?fieldManager=applier&force=true`,
      body: { apiVersion, kind, metadata: { name, labels: { applied: 'yes' } } },
      headers: applyPatch,
    },
    ...(status
      ? [
          { send: `PATCH ${item}/status?fieldManager=controller`, body: { status }, headers: mergePatch },
          { send: `GET ${item}/status` },
        ]
      : []),
    { send: `DELETE ${item}?dryRun=All` },
    { send: `DELETE ${item}?gracePeriodSeconds=0` },
    { send: `GET ${item}` },
    { send: `DELETE ${collection}?labelSelector=case%3D{{ns}}` },
  ];
}

export const suite: Suite = {
  scenarios: Object.fromEntries(
    minimalObjects.map((one) => [`the life of a ${one.kind} in ${apiVersionOf(one.collection)}`, life(one)]),
  ),
};
