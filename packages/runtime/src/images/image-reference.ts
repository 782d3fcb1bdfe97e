import { parseImageName } from '@coxswain/cri/image-name';
import { ImageError } from './image-error.ts';

/** A name that says everything: where the image is, and which. */
export interface ImageReference {
  /** As `docker.io`. */
  readonly registry: string;
  /** As `library/nginx`. */
  readonly path: string;
  /** As `docker.io/library/nginx`. */
  readonly repository: string;
  /** Undefined if there is a digest, which says more. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
  /** As `docker.io/library/nginx:latest` or `docker.io/library/nginx@sha256:…`. */
  readonly name: string;
}

/** Completes a name as a person writes it. Throws `ImageError` if it is none. */
export function imageReference(image: string): ImageReference {
  const parsed = parseImageName(image);
  if (!parsed)
    throw new ImageError(
      `failed to parse image reference ${JSON.stringify(image.slice(0, 300))}: invalid reference format`,
    );
  const { repository, digest } = parsed;
  const slash = repository.indexOf('/');
  const tag = digest === undefined ? (parsed.tag ?? 'latest') : undefined;
  return {
    registry: repository.slice(0, slash),
    path: repository.slice(slash + 1),
    repository,
    tag,
    digest,
    name: digest === undefined ? `${repository}:${tag}` : `${repository}@${digest}`,
  };
}
