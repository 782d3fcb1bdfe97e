/** PodSecurity: pods as the Pod Security Standards want them. Start at `pod-security.ts`; the rules are in `checks/`. */
export {
  type PodSecurityConfiguration,
  podSecurityConfigurationGroup,
  readPodSecurityConfiguration,
} from './configuration.ts';
export { podSecurity } from './pod-security.ts';
