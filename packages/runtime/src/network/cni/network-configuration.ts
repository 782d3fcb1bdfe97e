import { isObject, type JSONObject } from '../records/index.ts';
import { highestSpoken } from './cni-version.ts';

/** The configuration of one plug-in of a network. */
export interface PluginConfiguration {
  readonly type: string;
  readonly name: string | undefined;
  /** Names of the capabilities that the plug-in takes. */
  readonly capabilities: readonly string[];
  readonly json: JSONObject;
}

/** A network: a list of plug-ins, each of which gets the result of the one before. */
export interface NetworkConfiguration {
  readonly name: string;
  readonly cniVersion: string;
  readonly disableCheck: boolean;
  readonly disableGC: boolean;
  readonly plugins: readonly PluginConfiguration[];
}

/** A list whose plug-ins may be in files beside it. */
export interface NetworkConfigurationList extends NetworkConfiguration {
  readonly loadOnlyInlinedPlugins: boolean;
}

const prefix = 'error parsing configuration list';

/** Reads a file `*.conflist`. */
export function parseConfigurationList(text: string): NetworkConfigurationList {
  const list = parse(text, prefix);
  const { name, plugins } = list;
  if (name === undefined) throw new Error(`${prefix}: no name`);
  if (typeof name !== 'string') throw new Error(`${prefix}: invalid name type ${typeof name}`);
  const loadOnlyInlinedPlugins = flag(list, 'loadOnlyInlinedPlugins');
  if (plugins === undefined && loadOnlyInlinedPlugins) {
    throw new Error(`${prefix}: \`loadOnlyInlinedPlugins\` is true, and no 'plugins' key`);
  }
  if (plugins !== undefined && !Array.isArray(plugins)) {
    throw new Error(`${prefix}: invalid 'plugins' type ${typeof plugins}`);
  }
  if (plugins?.length === 0) throw new Error(`${prefix}: no plugins in list`);
  return {
    name,
    cniVersion: versionOf(list),
    disableCheck: flag(list, 'disableCheck'),
    disableGC: flag(list, 'disableGC'),
    loadOnlyInlinedPlugins,
    plugins: (plugins ?? []).map((plugin, i) => {
      try {
        return pluginOf(plugin);
      } catch (error) {
        throw new Error(`failed to parse plugin config ${i}: ${messageOf(error)}`, { cause: error });
      }
    }),
  };
}

/** Reads a file `*.conf` or `*.json`: a network with one plug-in. */
export function parseSingleConfiguration(text: string): NetworkConfiguration {
  const json = parse(text, 'error parsing configuration');
  const plugin = pluginOf(json);
  if (plugin.name === undefined) throw new Error(`${prefix}: no name`);
  return {
    name: plugin.name,
    cniVersion: versionOf(json),
    disableCheck: false,
    disableGC: false,
    plugins: [plugin],
  };
}

/** Reads a plug-in of a list that is in a file of its own. */
export const parsePlugin = (text: string): PluginConfiguration => pluginOf(parse(text, 'error parsing configuration'));

function pluginOf(json: unknown): PluginConfiguration {
  if (!isObject(json)) throw new Error('error parsing configuration: not an object');
  const { type, name, capabilities } = json;
  if (typeof type !== 'string' || type === '') throw new Error("error parsing configuration: missing 'type'");
  return {
    type,
    name: typeof name === 'string' && name !== '' ? name : undefined,
    capabilities: isObject(capabilities) ? Object.keys(capabilities).filter((key) => capabilities[key] === true) : [],
    json,
  };
}

function parse(text: string, what: string): JSONObject {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
  if (!isObject(json)) throw new Error(`${what}: not an object`);
  return json;
}

/** The version that the list is run with: the highest one that it allows and that is spoken here. */
function versionOf({ cniVersion = '0.1.0', cniVersions }: JSONObject): string {
  if (typeof cniVersion !== 'string') throw new Error(`${prefix}: invalid cniVersion type ${typeof cniVersion}`);
  if (cniVersions === undefined) return cniVersion === '' ? '0.1.0' : cniVersion;
  if (!Array.isArray(cniVersions)) throw new Error(`${prefix}: invalid type for cniVersions: ${typeof cniVersions}`);
  const versions = cniVersions.map((version: unknown, i) => {
    if (typeof version === 'string') return version;
    throw new Error(`${prefix}: invalid type for cniVersions index ${i}: ${typeof version}`);
  });
  try {
    return highestSpoken([...versions, cniVersion]) ?? cniVersion;
  } catch (error) {
    throw new Error(`${prefix}: invalid cniVersions: ${messageOf(error)}`, { cause: error });
  }
}

/** The text of a boolean is accepted, too, as the specification says. */
function flag(list: JSONObject, key: string): boolean {
  const value = list[key];
  if (value === undefined) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw new Error(`${prefix}: invalid type ${typeof value} for ${key}`);
  const text = value.toLowerCase();
  if (text !== 'true' && text !== 'false')
    throw new Error(`${prefix}: invalid value ${JSON.stringify(text)} for ${key}`);
  return text === 'true';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
