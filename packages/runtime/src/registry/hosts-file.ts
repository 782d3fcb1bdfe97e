import { isAbsolute, join } from 'node:path';
import { parse } from 'smol-toml';

/** A server of a `hosts.toml`, in containerd's format. */
export interface HostEntry {
  readonly url: string;
  readonly capabilities: readonly string[];
  readonly ca: readonly string[];
  /** Paths of certificates with their keys. The key is in the same file if the path is empty. */
  readonly client: readonly (readonly [string, string])[];
  readonly skipVerify: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The URL has the whole path: `/v2` is not added. */
  readonly overridePath: boolean;
}

export interface HostsFile {
  /** The mirrors, in the order of the file. */
  readonly hosts: readonly HostEntry[];
  /** The registry itself. Undefined if the file does not say. */
  readonly server: HostEntry | undefined;
}

type Table = Readonly<Record<string, unknown>>;

/** Parses a `hosts.toml`. Relative paths are those of `directory`. Throws an error that names the field if one has another type. */
export function parseHostsFile(text: string, directory: string): HostsFile {
  const root: Table = parse(text);
  const hosts = Object.entries(tableAt(root, 'host')).map(([url, value]) => {
    if (!isTable(value)) throw new Error(`host ${url} must be a table`);
    return entryOf(url, value, directory);
  });
  const server = root.server === undefined ? undefined : textOf(root.server, 'server');
  return { hosts, server: server === undefined || server === '' ? undefined : entryOf(server, root, directory) };
}

function entryOf(url: string, table: Table, directory: string): HostEntry {
  const path = (it: unknown, field: string): string => {
    const text = textOf(it, field);
    return text === '' || isAbsolute(text) ? text : join(directory, text);
  };
  return {
    url: /^[a-z]+:\/\//.test(url) ? url : `https://${url}`,
    capabilities: listOf(table.capabilities ?? ['pull', 'resolve', 'push']).map((it) => textOf(it, 'capabilities')),
    ca: listOf(table.ca ?? []).map((it) => path(it, 'ca')),
    client: clientsOf(table.client).map(([cert, key]) => [path(cert, 'client'), path(key ?? '', 'client')] as const),
    skipVerify: flagOf(table.skip_verify, 'skip_verify'),
    headers: Object.fromEntries(
      Object.entries(tableAt(table, 'header')).map(([name, value]) => [
        name,
        listOf(value)
          .map((it) => textOf(it, `header.${name}`))
          .join(', '),
      ]),
    ),
    overridePath: flagOf(table.override_path, 'override_path'),
  };
}

/** One path, a list of paths, or a list of pairs. */
function clientsOf(value: unknown): (readonly unknown[])[] {
  if (value === undefined) return [];
  return listOf(value).map((it) => (Array.isArray(it) ? it : [it]));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function tableAt(table: Table, field: string): Table {
  const value = table[field] ?? {};
  if (!isTable(value)) throw new Error(`${field} must be a table`);
  return value;
}

function textOf(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new Error(`${field} must be a string`);
  return value;
}

function flagOf(value: unknown, field: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw new Error(`${field} must be a boolean`);
  return value ?? false;
}
