/** Annotations of claims and volumes by which the binder, provisioners and the scheduler communicate. */
export const annotations = {
  /** On claims: binding is complete. The claim must not be bound to another volume. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On claims and volumes: the binder set the reference to the other object, not a user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On volumes: the provisioner that created them. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On claims and volumes: the CSI driver that replaces a removed in-tree plugin. */
  migratedTo: 'pv.kubernetes.io/migrated-to',
  /** On claims: the provisioner that has to create the volume. */
  storageProvisioner: 'volume.kubernetes.io/storage-provisioner',
  betaStorageProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** On claims: the node that the scheduler selected for the first pod. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On volumes: the size before they were expanded. */
  preResizeCapacity: 'volume.alpha.kubernetes.io/pre-resize-capacity',
} as const;

/** Finalizer of volumes that a plugin of this process provisioned, until the plugin has deleted their storage. */
export const deletionFinalizer = 'kubernetes.io/pv-controller';

interface Annotated {
  readonly metadata: { annotations?: { [key: string]: string } };
}

export const hasAnnotation = ({ metadata }: Annotated, name: string): boolean =>
  metadata.annotations?.[name] !== undefined;

/** Returns the object with these annotations changed. Undefined removes an annotation. */
export function withAnnotations<T extends Annotated>(
  object: T,
  changes: Readonly<Record<string, string | undefined>>,
): T {
  const merged = Object.entries({ ...object.metadata.annotations, ...changes });
  const kept = merged.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } };
}
