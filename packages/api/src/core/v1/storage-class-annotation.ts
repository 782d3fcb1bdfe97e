/** How the class of a volume or claim was told before there was a field for it; it still counts. */
export const storageClassAnnotation = 'volume.beta.kubernetes.io/storage-class';
