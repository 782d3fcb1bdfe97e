export type TarEntryType =
  | 'file'
  | 'hardLink'
  | 'symbolicLink'
  | 'characterDevice'
  | 'blockDevice'
  | 'directory'
  | 'fifo';

/** The description of an entry of a tar archive. */
export interface TarEntry {
  readonly type: TarEntryType;
  /** As it is in the archive. A character stands for a byte: names need not be UTF-8. */
  readonly path: string;
  /** Where a link leads, in the same form. Empty for others. */
  readonly linkTo: string;
  /** The permissions, with setuid, setgid and the sticky bit. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes of a file; 0 for others. */
  readonly size: number;
  readonly mtime: TarTime;
  readonly deviceMajor: number;
  readonly deviceMinor: number;
  readonly xattrs: ReadonlyMap<string, Buffer>;
}

export interface TarTime {
  /** Seconds since 1970; negative before. */
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Returns a name of an entry for people: as UTF-8, with other bytes replaced. */
export const textOfBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
