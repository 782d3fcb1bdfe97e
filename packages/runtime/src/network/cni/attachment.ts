import { isObject, type JSONObject, textOf } from '../records/index.ts';
import { type NetworkConfiguration, parseConfigurationList } from './network-configuration.ts';

/** A pod on a network: all that is needed to detach it again, also when the configuration has changed since. */
export interface Attachment {
  readonly containerID: string;
  readonly netns: string;
  readonly ifName: string;
  /** CNI_ARGS. */
  readonly args: string;
  readonly capabilities: JSONObject;
  readonly network: NetworkConfiguration;
  /** The result of the last plug-in. Undefined while it is being attached, and if that was interrupted. */
  readonly result?: JSONObject | undefined;
}

/** The form of a record on disk. */
export function attachmentToJSON({ network, ...attachment }: Attachment): JSONObject {
  return { ...attachment, network: { ...network, plugins: network.plugins.map(({ json }) => json) } };
}

/** Undefined if the value is not a record of an attachment. Throws if its network is invalid. */
export function attachmentFromJSON(value: unknown): Attachment | undefined {
  if (!isObject(value) || !isObject(value.capabilities) || !isObject(value.network)) return undefined;
  const [containerID, netns, ifName, args] = [value.containerID, value.netns, value.ifName, value.args].map(textOf);
  if (containerID === undefined || netns === undefined || ifName === undefined || args === undefined) return undefined;
  return {
    containerID,
    netns,
    ifName,
    args,
    capabilities: value.capabilities,
    network: parseConfigurationList(JSON.stringify(value.network)),
    result: isObject(value.result) ? value.result : undefined,
  };
}
