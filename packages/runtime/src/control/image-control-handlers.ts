import { createReadStream } from 'node:fs';
import { messageOf } from '@coxswain/apimachinery/errors';
import { type Handlers, RpcError } from '@coxswain/grpc';
import type { Init } from '@coxswain/grpc/protobuf';
import type { StoredImage } from '../images/image-store.ts';
import type { LocalImageStore, PruneResult, PullOptions } from '../images/local-image-store.ts';
import type { LayerProgress } from '../images/pull-progress.ts';
import type { ImageProgress, imageControl } from './image-control.ts';

interface ControlledImages {
  readonly store: Pick<LocalImageStore, 'pull' | 'load'>;
  prune(): Promise<PruneResult>;
}

type Progress = Pick<PullOptions, 'signal' | 'onProgress'>;

export function imageControlHandlers({ store, prune }: ControlledImages): Handlers<typeof imageControl.methods> {
  return {
    pullImage({ image, username, password }, { signal }) {
      const auth = username === '' ? undefined : { username, password };
      return progressOf(signal, async (progress) => [await store.pull(image, { auth, ...progress })]);
    },

    loadImages: ({ path }, { signal }) =>
      progressOf(signal, (progress) => store.load(createReadStream(path), progress)),

    pruneImages: async () => ({ images: (await prune()).removed.flatMap(namesOf) }),
  };
}

/**
 * Runs the work and yields its progress, then the images. Only the latest state of each layer waits to be sent, so a slow listener costs no
 * more than the layers of an image.
 */
async function* progressOf(
  signal: AbortSignal,
  work: (progress: Progress) => Promise<readonly StoredImage[]>,
): AsyncGenerator<Init<ImageProgress>> {
  const changed = new Map<string, LayerProgress>();
  let wake: () => void = () => {};
  const onProgress = (progress: LayerProgress): void => {
    changed.set(progress.digest, progress);
    wake();
  };
  let ended = false;
  const done = work({ signal, onProgress }).finally(() => {
    ended = true;
    wake();
  });
  // The result is awaited below.
  done.catch(() => {});
  while (!ended || changed.size > 0) {
    const [next] = changed.values();
    if (next) {
      changed.delete(next.digest);
      const { digest: layer, ...rest } = next;
      yield { layer, ...rest };
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  try {
    yield { images: (await done).flatMap(namesOf) };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RpcError('Unknown', messageOf(error), { cause: error });
  }
}

const namesOf = ({ repoTags, repoDigests, id }: StoredImage): readonly string[] => {
  if (repoTags.length > 0) return repoTags;
  return repoDigests.length > 0 ? repoDigests : [id];
};
