import { boolean, type Completed, flag, type Given, mapping, string } from '@coxswain/component-base';
import { loggingFlags } from '@coxswain/component-base/logs';
import { configurationFlagGroups, configurationFlags } from './configuration-flags.ts';
import { duration, int32 } from './flag-types.ts';

/** Flags of this node, which have no field in the configuration. */
export const nodeFlags = {
  config: flag(string, 'A KubeletConfiguration file; flags take precedence over it', ''),
  'config-dir': flag(string, 'A directory of files *.conf, which are merged over --config in lexical order', ''),
  kubeconfig: flag(string, 'Kubeconfig with address and credentials for the API server; none: no cluster', ''),
  'bootstrap-kubeconfig': flag(
    string,
    'Kubeconfig to request the client certificate with, as long as --kubeconfig has none that is valid; --kubeconfig is then written',
    '',
  ),
  'cert-dir': flag(string, 'Directory of certificates', '/var/lib/kubelet/pki'),
  'root-dir': flag(string, 'Directory of pods and volumes', '/var/lib/kubelet'),
  'hostname-override': flag(string, 'The name of the node, instead of the host’s', ''),
  'node-ip': flag(string, 'Address of the node, or one of each IP family; 0.0.0.0 or :: for the family alone', ''),
  'node-labels': flag(mapping, 'Labels of the new node: key=value,…'),
  'cloud-provider': flag(string, 'external: a cloud controller manager initializes the node', ''),
  'seccomp-default': flag(boolean, 'RuntimeDefault is the seccomp profile of containers without one', false),
  'minimum-container-ttl-duration': flag(duration, 'Ended containers younger than this are kept', '0s'),
  'maximum-dead-containers-per-container': flag(int32, 'How many ended instances of a container are kept', 1),
  'maximum-dead-containers': flag(int32, 'How many ended containers are kept on the node; negative: no limit', -1),
  'experimental-allocatable-ignore-eviction': flag(
    boolean,
    'Do not keep the resources of --eviction-hard from pods',
    false,
  ),
} as const;

/** The supported flags, grouped as in `--help`. */
export const flagGroups = { Kubelet: nodeFlags, ...configurationFlagGroups, Logs: loggingFlags } as const;

/** By name. */
export const kubeletFlags = { ...nodeFlags, ...configurationFlags, ...loggingFlags };

/** The given values of the flags, by camelCase name. */
export type KubeletCommandOptions = Given<typeof kubeletFlags>;

/** The values of the flags without a field in the configuration, with defaults. */
export type NodeFlags = Completed<typeof nodeFlags>;
