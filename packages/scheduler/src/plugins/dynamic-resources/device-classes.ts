import type { DeviceClass } from '@coxswain/api/resource/v1';
import type { SharedIndexInformer } from '@coxswain/client';

/** The implicit extended resource name of a class is this prefix plus its name. */
export const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

const resourceIndex = 'extendedResource';

/** Device classes by name, and by the extended resources that they provide. */
export class DeviceClasses {
  readonly #informer: SharedIndexInformer<DeviceClass>;

  constructor(informer: SharedIndexInformer<DeviceClass>) {
    this.#informer = informer;
    informer.addIndexers({
      [resourceIndex]: ({ metadata, spec }) => [
        `${deviceClassPrefix}${metadata.name}`,
        ...(spec.extendedResourceName === undefined ? [] : [spec.extendedResourceName]),
      ],
    });
  }

  get(name: string): DeviceClass | undefined {
    return this.#informer.indexer.getByKey(name);
  }

  /**
   * Returns the class for an extended resource: of several the newest, so that one can replace another; of the same age the first by name.
   */
  forResource(resource: string): DeviceClass | undefined {
    const [first, ...others] = this.#informer.indexer.byIndex(resourceIndex, resource);
    return others.reduce((best, each) => (comesBefore(each, best!) ? each : best), first);
  }
}

function comesBefore({ metadata: a }: DeviceClass, { metadata: b }: DeviceClass): boolean {
  const createdA = a.creationTimestamp ?? '';
  const createdB = b.creationTimestamp ?? '';
  return createdA === createdB ? a.name! < b.name! : createdA > createdB;
}
