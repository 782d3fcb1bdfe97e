import type { Container, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock, type EventType } from '@coxswain/client';
import type { AuthConfig, Image, PodSandboxConfig } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import type { PodEvents } from '../pods/pod-events.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import { containerNameLabel } from '../runtime/labels.ts';
import type { ImageUser } from '../runtime/security-context.ts';
import { StartError } from '../runtime/start-error.ts';

export interface ImagePullerOptions {
  readonly runtime: KubeRuntime;
  readonly events: PodEvents;
  readonly clock: Clock;
  /** Returns the credentials for an image in the order in which to try them. If absent, all images are pulled anonymously. */
  readonly credentials?:
    | ((pod: Pod, image: string, signal: AbortSignal) => Promise<readonly Init<AuthConfig>[]>)
    | undefined;
}

/** An image that a pod needs. */
export interface NeededImage {
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** The container that runs it. Undefined for an image that is mounted as a volume. */
  readonly container?: Container;
}

/** The pod's sandbox, as far as a pull depends on it. */
export interface PullContext {
  readonly sandboxConfig: Init<PodSandboxConfig>;
  readonly runtimeHandler: string;
  readonly signal: AbortSignal;
}

/** An image that is on the node. */
export interface PresentImage {
  /** The runtime's id of the image. */
  readonly ref: string;
  readonly user: ImageUser;
}

interface PullFailure {
  readonly text: string;
  readonly atMs: number;
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** A failed pull is checked again after this time; it is in back-off then. */
const recheckMs = 1000;

/** Makes images present before containers are created, with back-off after failed pulls. */
export class ImagePuller {
  readonly #options: ImagePullerOptions;
  readonly #backoff: Backoff;
  /** The last failure, by pod and image. Removed with the pod. */
  readonly #failures = new Map<string, PullFailure>();

  constructor(options: ImagePullerOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ initialMs: firstBackoffMs, maxMs: longestBackoffMs, clock: options.clock });
  }

  /** Resolves when the image is on the node. Rejects with a StartError. */
  async ensureImage(pod: Pod, needed: NeededImage, context: PullContext): Promise<PresentImage> {
    const { runtime } = this.#options;
    const { image: requested, pullPolicy } = needed;
    const image = withTag(requested);
    if (image === undefined) {
      const message = `Failed to apply default image tag "${requested}": couldn't parse image name "${requested}": invalid reference format`;
      this.#tell(pod, needed, 'Warning', 'InspectFailed', message);
      throw new StartError('InvalidImageName', message);
    }
    const present =
      pullPolicy === 'Always' ? undefined : await runtime.image(image, context.runtimeHandler, context.signal);
    if (present !== undefined) {
      const message = `Container image "${requested}" already present on machine and can be accessed by the pod`;
      this.#tell(pod, needed, 'Normal', 'Pulled', message);
      return presentImage(present);
    }
    if (pullPolicy === 'Never') {
      const message = `Container image "${requested}" is not present with pull policy of Never`;
      this.#tell(pod, needed, 'Warning', 'ErrImageNeverPull', message);
      throw new StartError('ErrImageNeverPull', message);
    }
    return await this.#pull(pod, needed, image, context);
  }

  forgetPod(podUid: string): void {
    for (const key of this.#failures.keys()) {
      if (!key.startsWith(`${podUid}_`)) continue;
      this.#failures.delete(key);
      this.#backoff.reset(key);
    }
  }

  async #pull(pod: Pod, needed: NeededImage, image: string, context: PullContext): Promise<PresentImage> {
    const { clock } = this.#options;
    const { image: requested } = needed;
    const key = `${pod.metadata.uid}_${requested}`;
    const failure = this.#failures.get(key);
    const nowMs = clock.now();
    if (failure && this.#backoff.isInBackoffSinceUpdate(key, nowMs)) {
      const message = `Back-off pulling image "${requested}"`;
      this.#tell(pod, needed, 'Normal', 'BackOff', message);
      const retryAtMs = failure.atMs + this.#backoff.get(key);
      throw new StartError('ImagePullBackOff', `${message}: ${failure.text}`, { retryAtMs });
    }
    this.#tell(pod, needed, 'Normal', 'Pulling', `Pulling image "${requested}"`);
    try {
      const pulled = await this.#pullNow(pod, needed, image, context);
      const took = formatDuration(Math.round(clock.now() - nowMs) * 1e6);
      const message = `Successfully pulled image "${requested}" in ${took} (${took} including waiting). Image size: ${pulled.size} bytes.`;
      this.#tell(pod, needed, 'Normal', 'Pulled', message);
      this.#failures.delete(key);
      this.#backoff.gc();
      return presentImage(pulled);
    } catch (error) {
      context.signal.throwIfAborted();
      const text = messageOf(error);
      this.#tell(pod, needed, 'Warning', 'Failed', `Failed to pull image "${requested}": ${text}`);
      const atMs = clock.now();
      this.#backoff.next(key, atMs);
      const { reason, message } = meaningOf(requested, text);
      this.#failures.set(key, { text: `${reason}: ${message}`, atMs });
      throw new StartError(reason, message, { retryAtMs: atMs + recheckMs, cause: error });
    }
  }

  /** Tries all credentials. Rejects with the error of the last attempt. */
  async #pullNow(pod: Pod, { container }: NeededImage, image: string, context: PullContext): Promise<Image> {
    const { runtime, credentials } = this.#options;
    const { sandboxConfig, runtimeHandler, signal } = context;
    const all = (await credentials?.(pod, image, signal)) ?? [];
    const spec = {
      image,
      runtimeHandler,
      annotations: { ...pod.metadata.annotations, ...(container && { [containerNameLabel]: container.name }) },
    };
    let failure: unknown;
    for (const auth of all.length > 0 ? all : [undefined]) {
      try {
        const { imageRef } = await runtime.images.pullImage(
          { image: spec, ...(auth && { auth }), sandboxConfig },
          { signal },
        );
        const found = await runtime.image(imageRef, runtimeHandler, signal);
        return found ?? { ...unknownImage, id: imageRef };
      } catch (error) {
        signal.throwIfAborted();
        failure = error;
      }
    }
    throw failure;
  }

  #tell(pod: Pod, { container }: NeededImage, type: EventType, reason: string, message: string): void {
    const { events } = this.#options;
    if (container) events.container(pod, container, type, reason, message);
    else events.pod(pod, type, reason, message);
  }
}

const unknownImage: Image = { id: '', repoTags: [], repoDigests: [], size: 0, username: '', pinned: false };

const presentImage = ({ id, uid, username }: Image): PresentImage => ({ ref: id, user: { uid: uid?.value, username } });

/** Returns reason and message of a failed pull. Runtimes put some reasons at the beginning of their error. */
function meaningOf(image: string, text: string): { reason: string; message: string } {
  const known = [
    ['RegistryUnavailable', 'the registry is unavailable'],
    ['SignatureValidationFailed', 'the signature validation failed'],
  ] as const;
  for (const [reason, why] of known) {
    if (text.startsWith(reason)) {
      return { reason, message: `image pull failed for ${image} because ${why}${text.slice(reason.length)}` };
    }
  }
  return { reason: 'ErrImagePull', message: text };
}

const component = String.raw`[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`;
const reference = new RegExp(
  String.raw`^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::\d+)?/)?${component}(?:/${component})*(?::\w[\w.-]{0,127})?(?:@[\w+.-]+:[0-9a-fA-F]{32,})?$`,
);

/** Returns the image name with a tag or digest; undefined if the name is invalid. */
function withTag(image: string): string | undefined {
  if (!reference.test(image)) return undefined;
  const name = image.slice(image.lastIndexOf('/') + 1);
  return name.includes(':') || name.includes('@') ? image : `${image}:latest`;
}
