/** The machine that an image is for. */
export interface Platform {
  readonly os: string;
  /** In Go's words: `amd64`, `arm64`. */
  readonly architecture: string;
  /** Such as `v7`; empty if there are none. */
  readonly variant: string;
}

const architectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  ia32: '386',
  ppc64: 'ppc64le',
  loong64: 'loong64',
};

/** The platform of Linux on a processor that Node names. */
export function platformOf(arch: string, armVersion = '7'): Platform {
  const architecture = architectures[arch] ?? arch;
  return normalized({ os: 'linux', architecture, variant: arch === 'arm' ? `v${armVersion}` : '' });
}

/** Different ways to write a platform become one. */
function normalized({ os, architecture, variant }: Platform): Platform {
  const name =
    { x86_64: 'amd64', 'x86-64': 'amd64', aarch64: 'arm64', i386: '386', armhf: 'arm' }[architecture] ?? architecture;
  if (name === 'amd64') return { os, architecture: name, variant: variant === 'v1' ? '' : variant };
  if (name === 'arm64') return { os, architecture: name, variant: variant === 'v8' || variant === '8' ? '' : variant };
  if (name === 'arm')
    return { os, architecture: name, variant: variant === '' ? 'v7' : variant.replace(/^(\d)/, 'v$1') };
  return { os, architecture: name, variant };
}

/**
 * How well an image for a platform suits a machine: the higher the better, undefined if it cannot run. Processors run what was made for
 * older variants, and 64-bit ARM runs 32-bit programs, which are the last choice.
 */
export function suitability(image: Platform, machine: Platform): number | undefined {
  const wanted = normalized(image);
  if (wanted.os !== machine.os) return undefined;
  const version = Number(/^v(\d+)/.exec(wanted.variant)?.[1] ?? 0);
  if (wanted.architecture === machine.architecture) {
    const own = Number(/^v(\d+)/.exec(machine.variant)?.[1] ?? 0);
    if (wanted.variant === machine.variant) return 1000;
    return version <= own ? 100 + version : undefined;
  }
  if (machine.architecture === 'arm64' && wanted.architecture === 'arm' && version <= 8) return version;
  return undefined;
}
