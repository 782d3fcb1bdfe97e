import { type EventLoop, nextTurn, systemEventLoop } from '@coxswain/apimachinery/turns';
import { ArchiveError, type TarEntry, type TarReader, type TarWriter, textOfBytes } from '../tar/index.ts';
import type { LayerLimits } from './layer-limits.ts';
import {
  directoriesOf,
  type LayerDirectory,
  type LayerPlace,
  LayerTree,
  newDirectory,
  pathBelow,
} from './layer-tree.ts';
import type { WhiteoutFormat } from './whiteout-format.ts';

const whiteoutPrefix = '.wh.';
/** How many entries are handled in a turn of the event loop. */
const turnLength = 2000;
/** Each takes a process or two. */
const maxReplacements = 100;
const diskBlock = 4096;
const opaqueName = '.wh..wh..opq';
/** Names of aufs, which mean nothing to others. */
const aufsPrefix = '.wh..wh.';

/** What a layer hides of the layers below, and what it left out. Paths have a character for each byte. */
export interface LayerSummary {
  /** About as much as the files take on a disk. */
  readonly diskBytes: number;
  readonly inodes: number;
  readonly whiteouts: readonly string[];
  readonly opaqueDirectories: readonly string[];
  /** Directories without an entry: they have the owner and the permissions of the same directories in the layers below. */
  readonly impliedDirectories: readonly string[];
}

export interface TranslationOptions {
  readonly limits: LayerLimits;
  readonly format: WhiteoutFormat;
  readonly loop?: EventLoop;
  /**
   * Removes a directory that has been written, with everything in it, so that something else can take its place. What was written before
   * must be on disk then. Tar itself removes files, but no directories.
   */
  removeDirectory(path: string): Promise<void>;
}

/**
 * Translates a layer as images have it into an archive that can be unpacked as it is by a program that trusts it.
 *
 * Guarantees of the archive that is written: each name is relative, without `..`, and below directories that have been written before; each
 * hard link leads to a file that has been written before; symbolic links come last, so that nothing is written through one; extended
 * attributes are those of users and file capabilities only. Whiteouts are in the form of the file system that joins layers, and hide only
 * layers below, wherever they are in the layer, as the image specification demands.
 */
export class LayerTranslation {
  readonly #reader: TarReader;
  readonly #writer: TarWriter;
  readonly #tree: LayerTree;
  readonly #limits: LayerLimits;
  readonly #format: WhiteoutFormat;
  readonly #loop: EventLoop;
  readonly #removeDirectory: (path: string) => Promise<void>;
  /** Directories have got their times before the last entries in them were written. */
  #mustRepeatDirectories = false;
  /** The implied directories that have been written. */
  readonly #written = new WeakSet<LayerDirectory>();
  #entries = 0;
  #inodes = 0;
  #contentBlocks = 0;
  #replacements = 0;

  constructor(reader: TarReader, writer: TarWriter, options: TranslationOptions) {
    const { limits, format, loop = systemEventLoop } = options;
    this.#reader = reader;
    this.#writer = writer;
    this.#limits = limits;
    this.#format = format;
    this.#loop = loop;
    this.#removeDirectory = (path) => options.removeDirectory(path);
    this.#tree = new LayerTree(limits);
  }

  /** Rejects with `ArchiveError` if the layer is damaged or hostile. The caller throws away what was unpacked. */
  async run(): Promise<LayerSummary> {
    for (let entry = await this.#reader.next(); entry; entry = await this.#reader.next()) {
      if (++this.#entries > this.#limits.entries) {
        throw new ArchiveError(`the layer has more than ${this.#limits.entries} entries`);
      }
      await this.#translate({ ...entry, xattrs: this.#allowedAttributes(entry) });
    }
    await this.#reader.drain();
    return await this.#finish();
  }

  async #translate(entry: TarEntry): Promise<void> {
    const marker = whiteoutOf(entry);
    if (marker === 'aufs') return;
    const place = this.#tree.place(entry.path);
    if (!place) {
      if (entry.type !== 'directory') throw new ArchiveError('the root of the layer is not a directory');
      this.#tree.root.entry = { ...entry, path: '.' };
      return;
    }
    if (marker === 'opaque') {
      place.directory.isOpaque = true;
      return;
    }
    if (marker !== undefined) {
      place.directory.whiteouts.add(marker.hides);
      return;
    }
    await this.#writeParents(place);
    if (entry.type !== 'hardLink') this.#inodes++;
    this.#contentBlocks += entry.type === 'directory' ? 1 : Math.ceil(entry.size / diskBlock);
    const placed: TarEntry = { ...entry, path: place.path };
    const { entries } = place.directory;
    if (entry.type !== 'directory') await this.#makeRoomFor(place);
    if (entry.type === 'directory') {
      const known = entries.get(place.name);
      const directory = known?.kind === 'directory' ? known : newDirectory();
      directory.entry = placed;
      entries.set(place.name, directory);
      await this.#writer.header(placed);
    } else if (entry.type === 'symbolicLink') {
      this.#link(place, placed);
    } else if (entry.type === 'hardLink') {
      await this.#hardLink(place, placed);
    } else {
      entries.set(place.name, { kind: 'other' });
      await this.#writer.header(placed);
      if (entry.size === 0) return;
      for await (const part of this.#reader.content()) await this.#writer.content(part);
      await this.#writer.endOfContent(entry.size);
    }
  }

  /** Something else of that name may be on disk already: a plain file, which is removed before the link is made at the end. */
  #link(place: LayerPlace, entry: TarEntry): void {
    if (entry.linkTo === '') throw new ArchiveError(`${textOfBytes(entry.path)}: a symbolic link to nothing`);
    place.directory.entries.set(place.name, { kind: 'link', entry });
  }

  async #hardLink(place: LayerPlace, entry: TarEntry): Promise<void> {
    const target = this.#tree.place(entry.linkTo);
    const node = target?.directory.entries.get(target.name);
    const shown = `${textOfBytes(entry.path)}: hard link to ${textOfBytes(entry.linkTo)}`;
    if (!target || !node) throw new ArchiveError(`${shown}, which is not in the layer`);
    if (node.kind === 'directory') throw new ArchiveError(`${shown}, which is a directory`);
    if (target.path === place.path) throw new ArchiveError(`${shown}, which is itself`);
    if (node.kind === 'link') {
      // A symbolic link has no content to share, so another one serves.
      this.#link(place, { ...node.entry, path: place.path });
      return;
    }
    place.directory.entries.set(place.name, node);
    await this.#writer.header({ ...entry, linkTo: target.path, xattrs: new Map() });
  }

  /** An entry may replace a directory of the same layer. No image builder is known to write such a layer, but it is valid. */
  async #makeRoomFor({ directory, name, path }: LayerPlace): Promise<void> {
    if (directory.entries.get(name)?.kind !== 'directory') return;
    directory.entries.delete(name);
    if (++this.#replacements > maxReplacements) {
      throw new ArchiveError(`the layer replaces more than ${maxReplacements} of its directories`);
    }
    await this.#writer.end();
    await this.#removeDirectory(path);
    this.#mustRepeatDirectories = true;
  }

  /** Writes the directories above an entry for which the layer has no entry, or not yet. */
  async #writeParents({ path }: LayerPlace): Promise<void> {
    let directory = this.#tree.root;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const name = path.slice(path.lastIndexOf('/', slash - 1) + 1, slash);
      const next = directory.entries.get(name);
      if (next?.kind !== 'directory') throw new Error(`the tree of the layer lacks ${path}`);
      directory = next;
      if (directory.entry || this.#written.has(directory)) continue;
      this.#written.add(directory);
      await this.#writer.header({ ...impliedDirectory, path: path.slice(0, slash) });
    }
  }

  async #finish(): Promise<LayerSummary> {
    const whiteouts: string[] = [];
    const opaqueDirectories: string[] = [];
    const impliedDirectories: string[] = [];
    // Links last: what is written before them cannot go through them.
    const directories: TarEntry[] = [];
    const devices: TarEntry[] = [];
    const links: TarEntry[] = [];
    /** Opaque directories, and those in them. */
    const hidesAll = new WeakSet<LayerDirectory>();
    let steps = 0;
    for (const [directory, path] of directoriesOf(this.#tree.root)) {
      if (++steps % turnLength === 0) await nextTurn(this.#loop);
      if (directory.isOpaque) hidesAll.add(directory);
      for (const name of directory.whiteouts) {
        const node = directory.entries.get(name);
        const hidden = pathBelow(path, name);
        // An opaque directory hides everything below already.
        if (hidesAll.has(directory)) continue;
        whiteouts.push(hidden);
        if (!node) devices.push({ ...whiteoutDevice, path: hidden });
        // Removed and made again: nothing of the old directory is seen in the new one.
        if (node?.kind === 'directory') node.isOpaque = true;
      }
      for (const node of directory.entries.values()) {
        if (++steps % turnLength === 0) await nextTurn(this.#loop);
        if (node.kind === 'link') links.push(node.entry);
        if (node.kind === 'directory' && hidesAll.has(directory)) hidesAll.add(node);
      }
      const entry = directory.entry ?? { ...impliedDirectory, path: path === '' ? '.' : path };
      if (!directory.entry) impliedDirectories.push(path);
      if (directory.isOpaque) opaqueDirectories.push(path);
      // The root exists already; others that are not written yet have only links or whiteouts in them.
      const isWritten = directory.entry ? path !== '' : this.#written.has(directory);
      if (!directory.isOpaque && isWritten && !this.#mustRepeatDirectories) continue;
      const xattrs = new Map(entry.xattrs);
      if (directory.isOpaque) xattrs.set(this.#format.opaqueAttribute, Buffer.from('y'));
      directories.push({ ...entry, xattrs });
    }
    for (const entries of [directories, devices, links]) {
      for (const entry of entries) await this.#writer.header(entry);
    }
    await this.#writer.end();
    const inodes = this.#inodes + this.#tree.madeDirectories + devices.length;
    const diskBytes = this.#contentBlocks * diskBlock;
    return { diskBytes, inodes, whiteouts, opaqueDirectories, impliedDirectories };
  }

  /** Others would be orders to the overlay, to the kernel's integrity checks, or labels of another machine. */
  #allowedAttributes({ type, xattrs }: TarEntry): ReadonlyMap<string, Buffer> {
    if (xattrs.size === 0) return xattrs;
    // The kernel gives neither to symbolic links.
    if (type === 'symbolicLink' || type === 'hardLink') return new Map();
    const isFile = type === 'file' || type === 'directory';
    const isAllowed = (name: string): boolean =>
      name === 'security.capability' || (name.startsWith('user.') && !name.startsWith('user.overlay.') && isFile);
    return new Map(Array.from(xattrs).filter(([name]) => isAllowed(name)));
  }
}

/** What an entry says about the layers below, if its name is a marker. Throws if it is one that hides nothing sensible. */
function whiteoutOf({ path, type, size }: TarEntry): { readonly hides: string } | 'opaque' | 'aufs' | undefined {
  if (!path.includes(whiteoutPrefix)) return undefined;
  const components = path.split('/').filter((component) => component !== '' && component !== '.');
  const last = components.pop() ?? '';
  if (components.some((component) => component.startsWith(aufsPrefix))) return 'aufs';
  if (components.some((component) => component.startsWith(whiteoutPrefix))) {
    throw new ArchiveError(`${textOfBytes(path)}: below a whiteout`);
  }
  if (last === opaqueName) return 'opaque';
  if (last.startsWith(aufsPrefix)) return 'aufs';
  if (!last.startsWith(whiteoutPrefix)) return undefined;
  const hides = last.slice(whiteoutPrefix.length);
  if (hides === '' || hides === '.' || hides === '..' || type === 'directory' || size > 0) {
    throw new ArchiveError(`${textOfBytes(path)}: invalid whiteout`);
  }
  return { hides };
}

const impliedDirectory: TarEntry = {
  type: 'directory',
  path: '.',
  linkTo: '',
  mode: 0o755,
  uid: 0,
  gid: 0,
  size: 0,
  mtime: { seconds: 0, nanoseconds: 0 },
  deviceMajor: 0,
  deviceMinor: 0,
  xattrs: new Map(),
};

const whiteoutDevice: TarEntry = { ...impliedDirectory, type: 'characterDevice', mode: 0 };
