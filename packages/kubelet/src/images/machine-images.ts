import type { NodeKeyring } from './node-keyring.ts';
import type { PulledImages } from './pulled-images.ts';

/** What a machine has for pulling images. */
export interface MachineImages {
  /** The logins that all pods of the node may use. */
  readonly keyring: NodeKeyring;
  /** The logins with which images were pulled. */
  readonly pulled: PulledImages;
}
