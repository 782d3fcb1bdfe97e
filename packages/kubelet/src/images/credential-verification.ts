import { parseImageName } from './image-name.ts';

export const verificationPolicies = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;

/** For which images that are on the node a pod must have a login, as in `imagePullCredentialsVerificationPolicy`. */
export interface CredentialVerification {
  readonly policy: (typeof verificationPolicies)[number];
  /** Names of images without tag, or beginnings of such names with `/*` at the end. For `NeverVerifyAllowlistedImages`. */
  readonly allowlist: readonly string[];
}

/** Returns whether a pod must have a login for an image that is on the node. `isPulled`: the image was pulled by a kubelet. */
export function requiresVerification(
  { policy, allowlist }: CredentialVerification,
  image: string,
  isPulled: boolean,
): boolean {
  switch (policy) {
    case 'NeverVerify':
      return false;
    case 'NeverVerifyPreloadedImages':
      return isPulled;
    case 'NeverVerifyAllowlistedImages': {
      const name = parseImageName(image)?.untagged ?? image;
      return !allowlist.some((entry) => (entry.endsWith('/*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
    }
    case 'AlwaysVerify':
      return true;
  }
}
