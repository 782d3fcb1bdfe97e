import { ArchiveError, type TarEntry, textOfBytes } from '../tar/index.ts';
import type { LayerLimits } from './layer-limits.ts';

/** As many as the kernel follows in one path. */
const maxLinks = 40;
const maxNameBytes = 255;
/** Components in the targets of all symbolic links that are followed for a layer, so that links to links take a bounded time. */
const maxLinkSteps = 20_000_000;

export interface LayerDirectory {
  readonly kind: 'directory';
  readonly entries: Map<string, LayerNode>;
  /** Undefined as long as the layer has only entries below it. */
  entry: TarEntry | undefined;
  /** What lower layers have in it is hidden. */
  isOpaque: boolean;
  /** Names that lower layers may have and this one removes. */
  readonly whiteouts: Set<string>;
}

type LayerNode =
  | LayerDirectory
  /** A file, a device or a pipe; the archive that is written has it already. */
  | { readonly kind: 'other' }
  /** Written at the end, so that no symbolic link exists while other entries are unpacked. */
  | { readonly kind: 'link'; readonly entry: TarEntry };

/** Where an entry belongs: every component of `path` before the last is a directory of the layer. */
export interface LayerPlace {
  readonly directory: LayerDirectory;
  readonly name: string;
  readonly path: string;
}

/** What a layer consists of at the moment, without the content of files. Names have a character for each byte. */
export class LayerTree {
  readonly root: LayerDirectory = newDirectory();
  readonly #limits: LayerLimits;
  #directories = 0;
  #linkSteps = 0;

  constructor(limits: LayerLimits) {
    this.#limits = limits;
  }

  /** How many directories were made for paths in the archive that have no entry for them. */
  get madeDirectories(): number {
    return this.#directories;
  }

  /**
   * Finds the place of an entry. Symbolic links of this layer above it are followed as if the layer were the root of the file system, as
   * containerd does; missing directories are added. The last component is not followed. Undefined for the root of the layer. Throws
   * `ArchiveError` if the path would leave the layer, or leads through a file.
   */
  place(path: string): LayerPlace | undefined {
    const components = this.#componentsOf(path);
    const name = components.pop();
    if (name === undefined) return undefined;
    const trail = this.#walk(components, path);
    const place = [...trail.slice(1).map((step) => step.name), name].join('/');
    if (place.length > this.#limits.pathBytes) throw new ArchiveError(`${textOfBytes(path)}: file name too long`);
    return { directory: trail.at(-1)!.directory, name, path: place };
  }

  /** Splits a path from the archive. Only `..` that stays inside is resolved. */
  #componentsOf(path: string): string[] {
    const components: string[] = [];
    for (const component of path.split('/')) {
      if (component === '' || component === '.') continue;
      if (component !== '..') {
        if (component.length > maxNameBytes) throw new ArchiveError(`${textOfBytes(path)}: file name too long`);
        components.push(component);
      } else if (components.pop() === undefined) {
        throw new ArchiveError(`${textOfBytes(path)}: the path leads out of the layer`);
      }
    }
    if (components.length > this.#limits.depth) {
      throw new ArchiveError(`${textOfBytes(path)}: more than ${this.#limits.depth} directories in each other`);
    }
    return components;
  }

  /** The directories from the root to the one that the components lead to. */
  #walk(components: readonly string[], path: string): Step[] {
    const trail: Step[] = [{ name: '', directory: this.root }];
    // The last element is the next component.
    const rest = [...components].reverse();
    let links = 0;
    for (let component = rest.pop(); component !== undefined; component = rest.pop()) {
      if (component === '' || component === '.') continue;
      if (component === '..') {
        // Only in the target of a symbolic link. Above the root is the root.
        if (trail.length > 1) trail.pop();
        continue;
      }
      const { entries } = trail.at(-1)!.directory;
      let node = entries.get(component);
      if (node?.kind === 'link') {
        if (++links > maxLinks) throw new ArchiveError(`${textOfBytes(path)}: too many levels of symbolic links`);
        if (node.entry.linkTo.startsWith('/')) trail.splice(1);
        const steps = node.entry.linkTo.split('/').reverse();
        this.#linkSteps += steps.length;
        if (this.#linkSteps > maxLinkSteps)
          throw new ArchiveError('the layer has too many symbolic links in its paths');
        rest.push(...steps);
        continue;
      }
      if (node?.kind === 'other') throw new ArchiveError(`${textOfBytes(path)}: not a directory`);
      if (!node) {
        if (++this.#directories > this.#limits.entries) throw new ArchiveError('the layer has too many directories');
        if (component.length > maxNameBytes) throw new ArchiveError(`${textOfBytes(path)}: file name too long`);
        node = newDirectory();
        entries.set(component, node);
      }
      trail.push({ name: component, directory: node });
      if (trail.length > this.#limits.depth) {
        throw new ArchiveError(`${textOfBytes(path)}: more than ${this.#limits.depth} directories in each other`);
      }
    }
    return trail;
  }
}

interface Step {
  readonly name: string;
  readonly directory: LayerDirectory;
}

export function newDirectory(): LayerDirectory {
  return { kind: 'directory', entries: new Map(), entry: undefined, isOpaque: false, whiteouts: new Set() };
}

/** Each directory with its path, before those in it. */
export function* directoriesOf(root: LayerDirectory): Generator<readonly [LayerDirectory, string], void, undefined> {
  const waiting: [LayerDirectory, string][] = [[root, '']];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    const [directory, path] = next;
    for (const [name, node] of directory.entries) {
      if (node.kind === 'directory') waiting.push([node, pathBelow(path, name)]);
    }
  }
}

export const pathBelow = (path: string, name: string): string => (path === '' ? name : `${path}/${name}`);
