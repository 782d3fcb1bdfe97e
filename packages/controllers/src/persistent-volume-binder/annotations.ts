/** What the binder, provisioners and the scheduler tell each other on claims and volumes. */
export const annotations = {
  /** On claims: they were bound once, and are not to be bound anew. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On claims and volumes: the binder chose the other side, not a user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On volumes: by whom they were made. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On claims and volumes: the CSI driver that does the work of a plugin that is gone. */
  migratedTo: 'pv.kubernetes.io/migrated-to',
  /** On claims: who is to make a volume. */
  storageProvisioner: 'volume.kubernetes.io/storage-provisioner',
  betaStorageProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** On claims: the scheduler's choice of a node for the first pod. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On volumes: their size before they were made larger. */
  preResizeCapacity: 'volume.alpha.kubernetes.io/pre-resize-capacity',
} as const;

/** Keeps volumes that a plugin of this process made until it has removed what they stand for. */
export const deletionFinalizer = 'kubernetes.io/pv-controller';

interface Annotated {
  readonly metadata: { annotations?: { [key: string]: string } };
}

export const hasAnnotation = ({ metadata }: Annotated, name: string): boolean =>
  metadata.annotations?.[name] !== undefined;

/** The object with these annotations added; undefined takes one away. */
export function withAnnotations<T extends Annotated>(
  object: T,
  changes: Readonly<Record<string, string | undefined>>,
): T {
  const merged = Object.entries({ ...object.metadata.annotations, ...changes });
  const kept = merged.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(kept) } };
}
