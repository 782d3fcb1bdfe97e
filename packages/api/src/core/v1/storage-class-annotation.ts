/** The legacy annotation for the storage class of a volume or claim, which is still supported. */
export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';
