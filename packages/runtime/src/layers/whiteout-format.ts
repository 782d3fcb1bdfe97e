/** How the file system that joins layers marks what a layer hides of those below. */
export interface WhiteoutFormat {
  /** The extended attribute of a directory that hides everything below. */
  readonly opaqueAttribute: string;
}

/** Overlayfs mounted by root. A hidden name is a character device with the numbers 0 and 0. */
export const overlayWhiteouts: WhiteoutFormat = { opaqueAttribute: 'trusted.overlay.opaque' };

/** Overlayfs mounted with `userxattr` in a user namespace, and fuse-overlayfs. */
export const userOverlayWhiteouts: WhiteoutFormat = { opaqueAttribute: 'user.overlay.opaque' };
