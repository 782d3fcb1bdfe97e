import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildUpstream, kubernetesVersion, moduleFolder, type ProgramName, stampOfBuilt } from '../build.ts';
import { addDirectory } from './add-directory.ts';
import { debianImage, debianMirror, makeDebian, requireDebootstrap } from './debian.ts';
import type { Descriptor, ImageStore } from './image-store.ts';
import {
  debianHash,
  type FileContent,
  type ImageFile,
  type ImageRecipe,
  imageRecipes,
  programsOf,
  recipeHash,
} from './recipes.ts';

const run = promisify(execFile);

export interface MakeImagesOptions {
  readonly store: ImageStore;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Makes the images of all recipes, except those whose recipe and inputs have not changed since they were made. Rejects, with advice,
 * when a tool is missing. The store keeps what was complete when the signal is aborted.
 */
export async function makeImages({ store, say, signal }: MakeImagesOptions): Promise<void> {
  const programs = programsOf(imageRecipes);
  const paths = await buildUpstream(programs, say);
  const debian = debianHash(debianMirror());
  const hashes = new Map([[debianImage, debian]]);
  for (const recipe of imageRecipes) {
    const below = recipe.from === undefined ? undefined : hashes.get(recipe.from);
    const hash = recipeHash(recipe, { stampOf: stampOfBuilt, kubernetesVersion, below, debian });
    for (const name of recipe.names) hashes.set(name, hash);
  }
  if (store.find(debianImage)?.recipe !== debian) {
    await requireDebootstrap();
    await makeDebian({ store, hash: debian, say, signal });
  }
  const maker = new ImageMaker(store, paths);
  for (const recipe of imageRecipes) {
    signal.throwIfAborted();
    const hash = hashes.get(recipe.names[0])!;
    if (recipe.names.every((name) => store.find(name)?.recipe === hash)) continue;
    say(`making ${recipe.names.join(', ')}`);
    await maker.make(recipe, hash);
  }
  await store.prune([...hashes.keys()]);
}

/** Makes single images, once everything is there that they are made from. */
class ImageMaker {
  readonly #store: ImageStore;
  readonly #programs: Readonly<Partial<Record<ProgramName, string>>>;

  constructor(store: ImageStore, programs: Readonly<Partial<Record<ProgramName, string>>>) {
    this.#store = store;
    this.#programs = programs;
  }

  async make(recipe: ImageRecipe, hash: string): Promise<void> {
    const below = await this.#layersOf(recipe.from);
    const own = recipe.files.length > 0 ? [await this.#layer(recipe.files)] : [];
    await this.#store.addImage({
      names: recipe.names,
      recipe: hash,
      layers: [...below, ...own],
      config: recipe.config,
    });
  }

  async #layersOf(name: string | undefined): Promise<readonly Descriptor[]> {
    if (name === undefined) return [];
    const image = this.#store.find(name);
    if (!image) throw new Error(`there is no image ${name} to make others from`);
    return (await this.#store.read(image)).manifest.layers;
  }

  async #layer(files: readonly ImageFile[]): Promise<Descriptor> {
    const stage = await mkdtemp(join(this.#store.directory, 'stage-'));
    try {
      // It is the root directory of the image, which every user must be able to read.
      await chmod(stage, 0o755);
      for (const file of files) await this.#place(stage, file);
      return await addDirectory(this.#store, stage, ['--owner=0', '--group=0']);
    } finally {
      await rm(stage, { recursive: true, force: true });
    }
  }

  async #place(stage: string, { path, mode, content }: ImageFile): Promise<void> {
    const target = join(stage, path);
    await mkdir(dirname(target), { recursive: true });
    if ('linkTo' in content) return await symlink(content.linkTo, target);
    if ('busyboxLinks' in content) return await this.#linkBusybox(target, content.busyboxLinks);
    if ('directory' in content) await mkdir(target, { recursive: true });
    else if ('text' in content) await writeFile(target, content.text);
    else await copyFile(await this.#sourceOf(content), target);
    const isPlain = 'text' in content || 'kubernetes' in content;
    await chmod(target, mode ?? (isPlain ? 0o644 : 0o755));
  }

  async #linkBusybox(directory: string, busybox: string): Promise<void> {
    const { stdout } = await run(join(this.#store.directory, 'debian', 'bin', 'busybox'), ['--list']);
    await mkdir(directory, { recursive: true });
    // The shell is not busybox's.
    const names = stdout.split('\n').filter((name) => name !== '' && !['busybox', 'sh', 'bash'].includes(name));
    for (const name of names) await symlink(busybox, join(directory, name));
  }

  async #sourceOf(content: FileContent): Promise<string> {
    if ('program' in content) {
      const path = this.#programs[content.program];
      if (path === undefined) throw new Error(`${content.program} was not built`);
      return path;
    }
    if ('debian' in content) return join(this.#store.directory, 'debian', content.debian);
    if ('kubernetes' in content) return join(await moduleFolder('k8s.io/kubernetes'), content.kubernetes);
    throw new Error(`a file cannot be made from ${JSON.stringify(content)}`);
  }
}
