import { mkdir } from 'node:fs/promises';
import type { ImageServiceHandlers } from '@coxswain/cri';
import { HelperCommands, UtilLinuxMounter } from '@coxswain/linux';
import { imageServiceHandlers } from './image-service/index.ts';
import { LocalImageStore, type LocalImageStoreOptions } from './images/local-image-store.ts';
import { LayerStore, type LayerStoreOptions } from './layers/index.ts';
import { LayeredRootFileSystems, rootMounterFor } from './roots/index.ts';

export interface OpenImagesOptions extends Omit<LocalImageStoreOptions, 'layers' | 'limits'> {
  readonly limits?: LocalImageStoreOptions['limits'] & LayerStoreOptions['limits'];
}

/** The images of a node, and the root file systems that are made of them. */
export interface Images {
  readonly store: LocalImageStore;
  readonly roots: LayeredRootFileSystems;
  /** CRI's calls. */
  readonly service: ImageServiceHandlers;
  /** How layers are joined. */
  readonly snapshotter: 'overlay' | 'fuse-overlayfs' | 'copy';
  /** Removes all images that are neither pinned nor used by a container. */
  prune(): ReturnType<LocalImageStore['prune']>;
  /** Ends the helper processes. Mounts stay. */
  close(): Promise<void>;
}

/** Opens the images below a directory, which nothing else may use, and takes away what a crash left. */
export async function openImages(options: OpenImagesOptions): Promise<Images> {
  const { root, limits, ...rest } = options;
  await mkdir(root, { recursive: true, mode: 0o700 });
  const commands = new HelperCommands({ maxShells: 8 });
  let layers: LayerStore | undefined;
  try {
    const mounter = await rootMounterFor(root, commands, new UtilLinuxMounter(commands));
    layers = await LayerStore.open(root, { format: mounter.format, ...(limits && { limits }) });
    const opened = layers;
    // The root file systems hold their layers before the store removes those that no image has.
    let store: LocalImageStore | undefined;
    const roots = await LayeredRootFileSystems.open({
      root,
      images: { find: async (image) => await store?.find(image) },
      layers,
      mounter,
      commands,
      onRemoved: async (imageId) => {
        if (store && !(await store.find(imageId))) await store.collectGarbage();
      },
    });
    const images = await LocalImageStore.open({ ...rest, root, layers, ...(limits && { limits }) });
    store = images;
    return {
      store: images,
      roots,
      service: imageServiceHandlers({ images, directory: root }),
      snapshotter: mounter.name,
      prune: () => images.prune(roots.imagesInUse()),
      async close() {
        await images.close();
        opened.close();
        commands.close();
      },
    };
  } catch (error) {
    layers?.close();
    commands.close();
    throw error;
  }
}
