import type { Container, Pod } from '@coxswain/api/core/v1';
import { formatDuration } from '@coxswain/apimachinery/time';
import { Backoff, type Clock } from '@coxswain/client';
import type { PodEvents } from '../containers/pod-events.ts';
import { messageOf, StartError } from '../containers/start-error.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';

export interface ImagePullerOptions {
  readonly runtime: ContainerRuntime;
  readonly events: PodEvents;
  readonly clock: Clock;
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
  async ensureImage(pod: Pod, container: Container): Promise<string> {
    const { runtime, events } = this.#options;
    const { image: requested = '', imagePullPolicy } = container;
    const image = withTag(requested);
    if (image === undefined) {
      const message = `Failed to apply default image tag "${requested}": couldn't parse image name "${requested}": invalid reference format`;
      events.container(pod, container, 'Warning', 'InspectFailed', message);
      throw new StartError('InvalidImageName', message);
    }
    const present = imagePullPolicy === 'Always' ? undefined : await runtime.imageRef(image);
    if (present !== undefined) {
      const message = `Container image "${requested}" already present on machine and can be accessed by the pod`;
      events.container(pod, container, 'Normal', 'Pulled', message);
      return present;
    }
    if (imagePullPolicy === 'Never') {
      const message = `Container image "${requested}" is not present with pull policy of Never`;
      events.container(pod, container, 'Warning', 'ErrImageNeverPull', message);
      throw new StartError('ErrImageNeverPull', message);
    }
    return await this.#pull(pod, container, image);
  }

  forgetPod(podUid: string): void {
    for (const key of this.#failures.keys()) {
      if (!key.startsWith(`${podUid}_`)) continue;
      this.#failures.delete(key);
      this.#backoff.reset(key);
    }
  }

  async #pull(pod: Pod, container: Container, image: string): Promise<string> {
    const { runtime, events, clock } = this.#options;
    const { image: requested = '' } = container;
    const key = `${pod.metadata.uid}_${requested}`;
    const failure = this.#failures.get(key);
    const nowMs = clock.now();
    if (failure && this.#backoff.isInBackoffSinceUpdate(key, nowMs)) {
      const message = `Back-off pulling image "${requested}"`;
      events.container(pod, container, 'Normal', 'BackOff', message);
      const retryAtMs = failure.atMs + this.#backoff.get(key);
      throw new StartError('ImagePullBackOff', `${message}: ${failure.text}`, { retryAtMs });
    }
    events.container(pod, container, 'Normal', 'Pulling', `Pulling image "${requested}"`);
    try {
      const { imageRef, sizeBytes } = await runtime.pullImage(image, { pod, container });
      const took = formatDuration(Math.round(clock.now() - nowMs) * 1e6);
      const message = `Successfully pulled image "${requested}" in ${took} (${took} including waiting). Image size: ${sizeBytes} bytes.`;
      events.container(pod, container, 'Normal', 'Pulled', message);
      this.#failures.delete(key);
      return imageRef;
    } catch (error) {
      const text = messageOf(error);
      events.container(pod, container, 'Warning', 'Failed', `Failed to pull image "${requested}": ${text}`);
      const atMs = clock.now();
      this.#backoff.next(key, atMs);
      const { reason, message } = meaningOf(requested, text);
      this.#failures.set(key, { text: `${reason}: ${message}`, atMs });
      throw new StartError(reason, message, { retryAtMs: atMs + recheckMs, cause: error });
    }
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
