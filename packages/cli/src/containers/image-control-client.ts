import { connect, RpcError } from '@coxswain/grpc';
import { type ImageProgress, imageControl } from '@coxswain/runtime';

/** The calls for images that only our own runtime has. */
export interface ImageControl {
  pull(image: string, login: { readonly username: string; readonly password: string } | undefined): Progress;
  /** Loads an archive. */
  load(path: string): Progress;
  /** Returns the names of the removed images. */
  prune(): Promise<readonly string[]>;
  close(): void;
}

/** The progress of layers, and at the end the images. */
export type Progress = AsyncIterable<ImageProgress>;

export async function openImageControl(endpoint: string): Promise<ImageControl> {
  const connection = await connect(endpoint);
  const calls = connection.service(imageControl);
  return {
    pull: (image, login) => explained(calls.pullImage({ image, ...login })),
    load: (path) => explained(calls.loadImages({ path })),
    prune: async () => (await calls.pruneImages({}).catch(explain)).images,
    close: () => connection.close(),
  };
}

async function* explained<T>(messages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    explain(error);
  }
}

function explain(error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  if (error.code === 'Unimplemented')
    throw new Error('this is another container runtime, which has tools of its own', { cause: error });
  throw new Error(error.details, { cause: error });
}
