import type { Container, Pod } from '@coxswain/api/core/v1';
import { messageOf } from '@coxswain/apimachinery/errors';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock, type EventType } from '@coxswain/client';
import type { PodEvents } from '../pods/pod-events.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { StartError } from '../runtime/start-error.ts';

export interface ImagePullerOptions {
  readonly runtime: ContainerRuntime;
  readonly events: PodEvents;
  readonly clock: Clock;
}

/** An image that a pod needs. */
export interface NeededImage {
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** Whose it is; none for one that is a volume. */
  readonly container?: Container;
}

interface PullFailure {
  readonly text: string;
  readonly atMs: number;
}

const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
/** A pull that has just failed is looked at again after this, and is in back-off then. */
const recheckMs = 1000;

/** Sees to it that images are there before containers are made of them, and backs off from those that are not to be had. */
export class ImagePuller {
  readonly #options: ImagePullerOptions;
  readonly #backoff: Backoff;
  /** By pod and image, as long as the pod is there. */
  readonly #failures = new Map<string, PullFailure>();

  constructor(options: ImagePullerOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ initialMs: firstBackoffMs, maxMs: longestBackoffMs, clock: options.clock });
  }

  /** What the runtime has the image as. Throws a StartError. */
  async ensureImage(pod: Pod, needed: NeededImage): Promise<string> {
    const { runtime } = this.#options;
    const { image: requested, pullPolicy } = needed;
    const image = withTag(requested);
    if (image === undefined) {
      const message = `Failed to apply default image tag "${requested}": couldn't parse image name "${requested}": invalid reference format`;
      this.#tell(pod, needed, 'Warning', 'InspectFailed', message);
      throw new StartError('InvalidImageName', message);
    }
    const present = pullPolicy === 'Always' ? undefined : await runtime.imageRef(image);
    if (present !== undefined) {
      const message = `Container image "${requested}" already present on machine and can be accessed by the pod`;
      this.#tell(pod, needed, 'Normal', 'Pulled', message);
      return present;
    }
    if (pullPolicy === 'Never') {
      const message = `Container image "${requested}" is not present with pull policy of Never`;
      this.#tell(pod, needed, 'Warning', 'ErrImageNeverPull', message);
      throw new StartError('ErrImageNeverPull', message);
    }
    return await this.#pull(pod, needed, image);
  }

  forgetPod(podUid: string): void {
    for (const key of this.#failures.keys()) {
      if (!key.startsWith(`${podUid}_`)) continue;
      this.#failures.delete(key);
      this.#backoff.reset(key);
    }
  }

  async #pull(pod: Pod, needed: NeededImage, image: string): Promise<string> {
    const { runtime, clock } = this.#options;
    const { image: requested, container } = needed;
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
      const { imageRef, sizeBytes } = await runtime.pullImage(image, { pod, ...(container && { container }) });
      const took = formatDuration(Math.round(clock.now() - nowMs) * 1e6);
      const message = `Successfully pulled image "${requested}" in ${took} (${took} including waiting). Image size: ${sizeBytes} bytes.`;
      this.#tell(pod, needed, 'Normal', 'Pulled', message);
      this.#failures.delete(key);
      this.#backoff.gc();
      return imageRef;
    } catch (error) {
      const text = messageOf(error);
      this.#tell(pod, needed, 'Warning', 'Failed', `Failed to pull image "${requested}": ${text}`);
      const atMs = clock.now();
      this.#backoff.next(key, atMs);
      const { reason, message } = meaningOf(requested, text);
      this.#failures.set(key, { text: `${reason}: ${message}`, atMs });
      throw new StartError(reason, message, { retryAtMs: atMs + recheckMs, cause: error });
    }
  }

  #tell(pod: Pod, { container }: NeededImage, type: EventType, reason: string, message: string): void {
    const { events } = this.#options;
    if (container) events.container(pod, container, type, reason, message);
    else events.pod(pod, type, reason, message);
  }
}

/** Runtimes say so what is wrong with the registry or the image. */
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

/** With a tag or digest; undefined when it is no image's name. */
function withTag(image: string): string | undefined {
  if (!reference.test(image)) return undefined;
  const name = image.slice(image.lastIndexOf('/') + 1);
  return name.includes(':') || name.includes('@') ? image : `${image}:latest`;
}
