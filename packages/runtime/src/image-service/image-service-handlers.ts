import { type Clock, systemClock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { FilesystemUsage, Image, ImageServiceHandlers, ImageSpec } from '@coxswain/cri';
import { type RpcCode, RpcError } from '@coxswain/grpc';
import type { Init } from '@coxswain/grpc/protobuf';
import type { StoredImage } from '../images/image-store.ts';
import type { LocalImageStore } from '../images/local-image-store.ts';
import { PullError } from '../images/pull-error.ts';

export interface ImageServiceOptions {
  readonly images: LocalImageStore;
  /** A directory of the file system that has the images and what containers write. */
  readonly directory: string;
  readonly clock?: Clock;
}

/** Returns CRI's calls for the images of a node. */
export function imageServiceHandlers(options: ImageServiceOptions): ImageServiceHandlers {
  const { images, directory, clock = systemClock } = options;

  async function find(image: ImageSpec | undefined): Promise<StoredImage | undefined> {
    return image?.image ? await images.find(image.image) : undefined;
  }

  async function list(image: ImageSpec | undefined): Promise<Init<Image>[]> {
    if (!image?.image) return images.list().map(criImage);
    const found = await find(image);
    return found ? [criImage(found)] : [];
  }

  function fileSystem({ usedBytes, inodesUsed }: ReturnType<LocalImageStore['usage']>): Init<FilesystemUsage> {
    return {
      timestamp: BigInt(clock.now()) * 1_000_000n,
      fsId: { mountpoint: directory },
      usedBytes: { value: usedBytes },
      inodesUsed: { value: inodesUsed },
    };
  }

  return {
    listImages: async ({ filter }) => ({ images: await list(filter?.image) }),

    async *streamImages({ filter }) {
      for (const image of await list(filter?.image)) yield { images: [image] };
    },

    async imageStatus({ image, verbose }) {
      const found = await find(image);
      if (!found) return {};
      const documents = verbose ? await images.describe(found.id) : undefined;
      const info = documents && {
        info: JSON.stringify({
          chainID: documents.chainId,
          imageSpec: JSON.parse(documents.configuration.toString('utf8')),
        }),
      };
      return { image: criImage(found), ...(info && { info }) };
    },

    async pullImage({ image, auth }, { signal }) {
      try {
        const { id } = await images.pull(image?.image ?? '', { auth, signal });
        return { imageRef: id };
      } catch (error) {
        if (signal.aborted) throw error;
        throw new RpcError(codeOf(error), messageOf(error), { cause: error });
      }
    },

    async removeImage({ image }) {
      if (image?.image) await images.remove(image.image);
      return {};
    },

    async imageFsInfo() {
      // Containers write on the same file system; what they have written is in their own statistics.
      const usage = fileSystem(images.usage());
      return { imageFilesystems: [usage], containerFilesystems: [usage] };
    },
  };
}

/** As containerd's: most failures have the code Unknown. */
function codeOf(error: unknown): RpcCode {
  return error instanceof PullError && error.reason === 'notFound' ? 'NotFound' : 'Unknown';
}

function criImage({ id, repoTags, repoDigests, size, isPinned, configuration }: StoredImage): Init<Image> {
  return { id, repoTags, repoDigests, size, pinned: isPinned, ...userOf(configuration.config.User ?? '') };
}

/** A kubelet compares the user with `runAsNonRoot`. A group does not matter to it. */
function userOf(user: string): Pick<Init<Image>, 'uid' | 'username'> {
  const name = user.split(':')[0] ?? '';
  if (name === '') return {};
  return /^\d+$/.test(name) ? { uid: { value: Number(name) } } : { username: name };
}
