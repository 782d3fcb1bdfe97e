import type { NodeKeyring } from './node-keyring.ts';
import type { PulledImages } from './pulled-images.ts';

/** Files of the machine about logins and pulled images. */
export interface MachineImages {
  /** The logins that all pods of the node may use. */
  readonly keyring: NodeKeyring;
  /** The logins with which images were pulled. */
  readonly pulled: PulledImages;
}
