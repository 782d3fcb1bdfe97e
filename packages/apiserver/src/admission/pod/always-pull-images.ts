import type { Pod, PodSpec } from '@coxswain/api/core/v1';
import { type ErrorList, notSupported, Path } from '@coxswain/apimachinery';
import { clientsMistake } from '../../registry/clients-mistake.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { admissionForbidden } from '../admission-error.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const always = { imagePullPolicy: 'Always' } as const;

/** Sets the pull policy Always, so that pods cannot use private images that are already on the node. */
export const alwaysPullImages = (): AdmissionPlugin => ({
  name: 'AlwaysPullImages',
  operations: ['CREATE', 'UPDATE'],
  resources: ['pods'],
  admit(attributes) {
    const pod = attributes.object as Pod;
    if (!pod.spec || keepsImages(attributes)) return;
    const { volumes, initContainers, ephemeralContainers } = pod.spec;
    pod.spec = {
      ...pod.spec,
      containers: (pod.spec.containers ?? []).map((container) => ({ ...container, ...always })),
      ...(initContainers && { initContainers: initContainers.map((container) => ({ ...container, ...always })) }),
      ...(ephemeralContainers && {
        ephemeralContainers: ephemeralContainers.map((container) => ({ ...container, ...always })),
      }),
      ...(volumes && {
        volumes: volumes.map((volume) =>
          volume.image ? { ...volume, image: { ...volume.image, pullPolicy: 'Always' } } : volume,
        ),
      }),
    };
  },
  validate(attributes) {
    const { spec } = attributes.object as Pod;
    if (!spec || keepsImages(attributes)) return;
    const errors = policyErrors(spec).map((error) => admissionForbidden(attributes, String(error)).message);
    if (errors.length > 0) throw clientsMistake(aggregateMessages(errors));
  },
});

function policyErrors(spec: PodSpec): ErrorList {
  const errors: ErrorList = [];
  const path = Path.of('spec');
  for (const list of lists)
    for (const [i, { imagePullPolicy = '' }] of (spec[list] ?? []).entries())
      if (imagePullPolicy !== 'Always')
        errors.push(notSupported(path.child(list).index(i).child('imagePullPolicy'), imagePullPolicy, ['Always']));
  for (const [i, { image }] of (spec.volumes ?? []).entries())
    if (image && image.pullPolicy !== 'Always')
      errors.push(
        notSupported(path.child('volumes').index(i).child('image', 'pullPolicy'), image.pullPolicy ?? '', ['Always']),
      );
  return errors;
}

/** Whether an update adds no new images. */
function keepsImages({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation !== 'UPDATE') return false;
  const old = imagesOf((oldObject as Pod).spec);
  return [...imagesOf((object as Pod).spec)].every((image) => old.has(image));
}

const imagesOf = (spec: PodSpec | undefined): Set<string> =>
  new Set(lists.flatMap((list) => (spec?.[list] ?? []).map(({ image = '' }) => image)));
