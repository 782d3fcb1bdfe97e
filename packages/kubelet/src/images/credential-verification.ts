import { parseImageName } from '@coxswain/cri/image-name';

export const verificationPolicies = [
  'NeverVerify',
  'NeverVerifyPreloadedImages',
  'NeverVerifyAllowlistedImages',
  'AlwaysVerify',
] as const;

/** For which present images a pod must have a valid login (`imagePullCredentialsVerificationPolicy`). */
export interface CredentialVerification {
  readonly policy: (typeof verificationPolicies)[number];
  /** Names of images without tag, or beginnings of such names with `/*` at the end. For `NeverVerifyAllowlistedImages`. */
  readonly allowlist: readonly string[];
}

/** Returns whether a pod must have a valid login for a present image. `isPulled`: a kubelet has pulled the image. */
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
