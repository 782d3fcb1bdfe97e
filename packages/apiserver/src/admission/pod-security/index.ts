/**
 * PodSecurity: checks pods against the Pod Security Standards. Start at `pod-security.ts`; the checks are in `checks/`.
 */
export {
  type PodSecurityConfiguration,
  podSecurityConfigurationGroup,
  readPodSecurityConfiguration,
} from './configuration.ts';
export { podSecurity } from './pod-security.ts';
