/** The parts of an image's name. */
export interface ImageName {
  /** With registry and path, as `docker.io/library/nginx` for `nginx:1.27`. */
  readonly repository: string;
  /** The name without tag and digest, as it was given. */
  readonly untagged: string;
  /** Undefined for a name without a tag. */
  readonly tag: string | undefined;
  /** Undefined for a name without a digest. */
  readonly digest: string | undefined;
}

const component = String.raw`[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`;
const host = String.raw`(?:[a-zA-Z0-9][a-zA-Z0-9.-]*|\[[0-9a-fA-F:]+\])(?::\d+)?`;
const reference = new RegExp(
  String.raw`^(?<untagged>(?:${host}/)?${component}(?:/${component})*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>[\w+.-]+:[0-9a-fA-F]{32,}))?$`,
);
/** Longer names are not parsed: matching takes time. */
const mostCharacters = 1024;

/** Returns undefined if the name is invalid. */
export function parseImageName(image: string): ImageName | undefined {
  const groups = image.length > mostCharacters ? undefined : reference.exec(image)?.groups;
  if (!groups) return undefined;
  const { untagged = '', tag, digest } = groups;
  return { repository: repositoryOf(untagged), untagged, tag, digest };
}

/** Returns the image's name with a tag or digest; undefined if the name is invalid. */
export function withDefaultTag(image: string): string | undefined {
  const name = parseImageName(image);
  if (!name) return undefined;
  return name.tag === undefined && name.digest === undefined ? `${image}:latest` : image;
}

/** Names without a registry are those of Docker Hub. */
function repositoryOf(untagged: string): string {
  const slash = untagged.indexOf('/');
  const first = slash < 0 ? '' : untagged.slice(0, slash);
  const isRegistry = /[.:A-Z]/.test(first) || first === 'localhost';
  const [registry, path] = isRegistry ? [first, untagged.slice(slash + 1)] : ['docker.io', untagged];
  if (registry !== 'docker.io' && registry !== 'index.docker.io') return `${registry}/${path}`;
  return `docker.io/${path.includes('/') ? path : `library/${path}`}`;
}
