import type { Container, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock, type EventType, TokenBucketRateLimiter } from '@coxswain/client';
import type { Image, PodSandboxConfig } from '@coxswain/cri';
import { withDefaultTag } from '@coxswain/cri/image-name';
import type { Init } from '@coxswain/grpc/protobuf';
import type { KubeletMetrics } from '../metrics/kubelet-metrics.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import type { KubeRuntime } from '../runtime/kube-runtime.ts';
import { containerNameLabel } from '../runtime/labels.ts';
import type { ImagePullLimits } from '../runtime/runtime-settings.ts';
import type { ImageUser } from '../runtime/security-context.ts';
import { StartError } from '../runtime/start-error.ts';
import type { PullCredential } from './keyring.ts';
import type { PullCredentials } from './pull-credentials.ts';
import { PullQueue } from './pull-queue.ts';
import type { PulledImages } from './pulled-images.ts';

export interface ImagePullerOptions {
  readonly runtime: Pick<KubeRuntime, 'image' | 'images'>;
  readonly events: PodEvents;
  readonly clock: Clock;
  readonly credentials: PullCredentials;
  readonly limits: ImagePullLimits;
  /** Undefined if a pod may use every image that is on the node. */
  readonly pulled?: PulledImages | undefined;
  readonly metrics?: Pick<KubeletMetrics, 'imagePulled'>;
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
  readonly #queue: PullQueue;
  readonly #rate: TokenBucketRateLimiter | undefined;
  /** The last failure, by pod and image. Removed with the pod. */
  readonly #failures = new Map<string, PullFailure>();

  constructor(options: ImagePullerOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ initialMs: firstBackoffMs, maxMs: longestBackoffMs, clock: options.clock });
    const { maxParallel, qps, burst } = options.limits;
    this.#queue = new PullQueue(maxParallel);
    const { clock } = options;
    this.#rate = qps > 0 ? new TokenBucketRateLimiter({ qps, burst: Math.max(1, burst), clock }) : undefined;
  }

  /** Resolves when the image is on the node and the pod may use it. Rejects with a StartError. */
  async ensureImage(pod: Pod, needed: NeededImage, context: PullContext): Promise<PresentImage> {
    const { image: requested, pullPolicy } = needed;
    const image = withDefaultTag(requested);
    if (image === undefined) {
      const message = `Failed to apply default image tag "${requested}": couldn't parse image name "${requested}": invalid reference format`;
      this.#tell(pod, needed, 'Warning', 'InspectFailed', message);
      throw new StartError('InvalidImageName', message);
    }
    const present = pullPolicy === 'Always' ? undefined : await this.#present(pod, needed, image, context);
    if (present !== undefined && (await this.#mayUse(pod, needed, present))) {
      const message = `Container image "${requested}" already present on machine and can be accessed by the pod`;
      this.#tell(pod, needed, 'Normal', 'Pulled', message);
      return presentImage(present);
    }
    if (pullPolicy === 'Never') {
      // The same answer for a present image that the pod may not use: the pod must not learn that it is present.
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

  /** Undefined if the node does not have the image. */
  async #present(pod: Pod, needed: NeededImage, image: string, context: PullContext): Promise<Image | undefined> {
    const { runtimeHandler, signal } = context;
    try {
      return await this.#options.runtime.image(image, runtimeHandler, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `Failed to inspect image "${image}": ${messageOf(error)}`;
      this.#tell(pod, needed, 'Warning', 'InspectFailed', message);
      throw new StartError('ImageInspectError', message, { cause: error });
    }
  }

  async #mayUse(pod: Pod, { image }: NeededImage, present: Image): Promise<boolean> {
    const { pulled } = this.#options;
    return !pulled || (await pulled.mayUse(image, present.id, () => this.#credentialsOf(pod, image)));
  }

  async #credentialsOf(pod: Pod, image: string): Promise<readonly PullCredential[]> {
    try {
      return await this.#options.credentials.of(pod, image);
    } catch (error) {
      throw new StartError('ErrImagePull', messageOf(error), { cause: error });
    }
  }

  async #pull(pod: Pod, needed: NeededImage, image: string, context: PullContext): Promise<PresentImage> {
    const { clock } = this.#options;
    const { image: requested } = needed;
    const credentials = await this.#credentialsOf(pod, requested);
    context.signal.throwIfAborted();
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
      const { image: pulled, tookMs } = await this.#pullInTurn(pod, needed, image, credentials, context);
      const [took, inAll] = [tookMs, clock.now() - nowMs].map((ms) => formatDuration(Math.trunc(ms) * 1e6));
      const message = `Successfully pulled image "${requested}" in ${took} (${inAll} including waiting). Image size: ${pulled.size} bytes.`;
      this.#tell(pod, needed, 'Normal', 'Pulled', message);
      this.#options.metrics?.imagePulled(tookMs / 1000, pulled.size);
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

  /** Waits for the pull's turn. `tookMs` excludes the time of waiting. */
  async #pullInTurn(
    pod: Pod,
    needed: NeededImage,
    image: string,
    credentials: readonly PullCredential[],
    context: PullContext,
  ): Promise<{ readonly image: Image; readonly tookMs: number }> {
    const { clock, pulled } = this.#options;
    const { image: requested } = needed;
    await pulled?.pulling(requested);
    try {
      return await this.#queue.run(async () => {
        const startedAtMs = clock.now();
        if (this.#rate?.tryAccept() === false) throw new Error('pull QPS exceeded');
        const result = await this.#pullNow(pod, needed, image, credentials, context);
        await pulled?.pulled(requested, result.image.id, result.credential);
        return { image: result.image, tookMs: clock.now() - startedAtMs };
      }, context.signal);
    } catch (error) {
      await pulled?.failed(requested);
      throw error;
    }
  }

  /** Tries all credentials. Rejects with the errors of all attempts. */
  async #pullNow(
    pod: Pod,
    { container }: NeededImage,
    image: string,
    credentials: readonly PullCredential[],
    context: PullContext,
  ): Promise<{ readonly image: Image; readonly credential: PullCredential | undefined }> {
    const { runtime } = this.#options;
    const { sandboxConfig, runtimeHandler, signal } = context;
    const spec = {
      image,
      runtimeHandler,
      annotations: { ...pod.metadata.annotations, ...(container && { [containerNameLabel]: container.name }) },
    };
    const messages = new Set<string>();
    let cause: unknown;
    for (const credential of credentials.length > 0 ? credentials : [undefined]) {
      const auth = credential && { username: credential.username, password: credential.password };
      try {
        const { imageRef } = await runtime.images.pullImage(
          { image: spec, ...(auth && { auth }), sandboxConfig },
          { signal },
        );
        const found = await runtime.image(imageRef, runtimeHandler, signal);
        return { image: found ?? { ...unknownImage, id: imageRef }, credential };
      } catch (error) {
        signal.throwIfAborted();
        cause = error;
        messages.add(messageOf(error));
      }
    }
    const text = [...messages].join(', ');
    throw new Error(messages.size === 1 ? text : `[${text}]`, { cause });
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
