import { createHash } from 'node:crypto';
import type { ProgramName } from '../build.ts';

/** A file of an image's own layer. Its owner is root. */
export interface ImageFile {
  /** Without a slash at the beginning. */
  readonly path: string;
  /** 0755 for programs and directories, 0644 for others by default. */
  readonly mode?: number;
  readonly content: FileContent;
}

export type FileContent =
  | { readonly text: string }
  | { readonly linkTo: string }
  | { readonly directory: true }
  /** A program that `build.ts` builds. */
  | { readonly program: ProgramName }
  /** A file of the Debian base. */
  | { readonly debian: string }
  /** A file of Kubernetes' module, by its path there. */
  | { readonly kubernetes: string }
  /** Links in this directory, one for each command of busybox, to this path of busybox. */
  | { readonly busyboxLinks: string };

/** As in an OCI image configuration. */
export interface ImageConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly ExposedPorts?: Readonly<Record<string, Readonly<Record<string, never>>>>;
  readonly StopSignal?: string;
}

export interface ImageRecipe {
  /** All names of the image: registry, repository and tag. */
  readonly names: readonly [string, ...string[]];
  /** The image below: `debian`, a name of another image, or nothing. */
  readonly from?: string;
  readonly files: readonly ImageFile[];
  readonly config: ImageConfig;
}

/** The Debian packages of the base, beside the essential ones. */
export const debianPackages = [
  'bash',
  'bash-static',
  'busybox-static',
  'ca-certificates',
  'curl',
  'dnsutils',
  'iperf',
  'iproute2',
  'netcat-openbsd',
  'nginx-light',
  'perl-base',
  'procps',
  'util-linux',
] as const;

export const debianRelease = 'bookworm';

/** The names of the images that the nodes need themselves. */
export const pauseImage = 'registry.k8s.io/pause:3.10.2';
export const corednsImage = 'registry.k8s.io/coredns/coredns:v1.15.0';

const e2e = 'registry.k8s.io/e2e-test-images';
const agnhost = `${e2e}/agnhost:2.63.0`;
const busybox = `${e2e}/busybox:1.37.0-1`;

const ports = (...numbers: number[]) => Object.fromEntries(numbers.map((port) => [`${port}/tcp`, {}]));
const accounts = (users: readonly string[], groups: readonly string[]): ImageFile[] => [
  { path: 'etc/passwd', content: { text: users.map((line) => `${line}\n`).join('') } },
  { path: 'etc/group', content: { text: groups.map((line) => `${line}\n`).join('') } },
];
const rootAndNobody = accounts(
  ['root:x:0:0:root:/root:/bin/sh', 'nobody:x:65534:65534:nobody:/nonexistent:/bin/false'],
  ['root:x:0:', 'nogroup:x:65534:'],
);
const directories = (...paths: string[]): ImageFile[] =>
  paths.map((path) => ({
    path,
    ...(path === 'tmp' && { mode: 0o1777 }),
    content: { directory: true },
  }));

/** The configuration of nginx as its official image has it: files in /usr/share/nginx/html, logs at the standard streams. */
const nginxConfiguration = `user www-data;
worker_processes 1;
error_log /dev/stderr notice;
pid /run/nginx.pid;
events {
  worker_connections 1024;
}
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log /dev/stdout;
  server {
    listen 80;
    server_name localhost;
    location / {
      root /usr/share/nginx/html;
      index index.html;
    }
  }
}
`;
const nginxPage = '<!DOCTYPE html>\n<title>Welcome to nginx!</title>\n<h1>Welcome to nginx!</h1>\n';

/** The groups and users of Debian that the base's programs need, and those that tests look for. */
const agnhostAccounts = accounts(
  [
    'root:x:0:0:root:/root:/bin/bash',
    'daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin',
    'bin:x:2:2:bin:/bin:/usr/sbin/nologin',
    'sys:x:3:3:sys:/dev:/usr/sbin/nologin',
    'mail:x:8:8:mail:/var/mail:/usr/sbin/nologin',
    'www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin',
    'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
    'user-defined-in-image:x:1000:1000::/home/user-defined-in-image:/bin/sh',
  ],
  [
    'root:x:0:',
    'daemon:x:1:',
    'bin:x:2:',
    'sys:x:3:',
    'tty:x:5:',
    'mail:x:8:',
    'www-data:x:33:',
    'nogroup:x:65534:',
    'user-defined-in-image:x:1000:',
    'group-defined-in-image:x:50000:user-defined-in-image',
  ],
);

const testPage = (name: 'nautilus' | 'kitten'): ImageFile[] =>
  [`${name}.jpg`, 'data.json'].map((file) => ({
    path: file,
    content: { kubernetes: `test/images/${name}/html/${file}` },
  }));

/** Every image that the tests pull. An image is below another only if it comes after it here. */
export const imageRecipes: readonly ImageRecipe[] = [
  {
    names: [pauseImage],
    files: [{ path: 'pause', content: { program: 'pause' } }],
    config: { Entrypoint: ['/pause'], User: '65535:65535' },
  },
  {
    names: [corednsImage],
    from: 'debian',
    files: [{ path: 'coredns', content: { program: 'coredns' } }],
    config: { Entrypoint: ['/coredns'], ExposedPorts: { '53/tcp': {}, '53/udp': {} } },
  },
  {
    names: [agnhost, `${e2e}/agnhost:2.55`],
    from: 'debian',
    files: [
      { path: 'agnhost', content: { program: 'agnhost' } },
      // Tests replace the entry point by this name, and look for it in the process's arguments.
      { path: 'agnhost-2', content: { linkTo: 'agnhost' } },
      { path: 'usr/local/bin/iperf', content: { linkTo: '/usr/bin/iperf' } },
      { path: 'localhost.crt', content: { kubernetes: 'test/images/agnhost/porter/localhost.crt' } },
      { path: 'localhost.key', content: { kubernetes: 'test/images/agnhost/porter/localhost.key' } },
      ...directories('uploads', 'home/user-defined-in-image'),
      ...agnhostAccounts,
    ],
    config: { Entrypoint: ['/agnhost'], Cmd: ['pause'], ExposedPorts: ports(80, 8080, 8081, 9376, 5000) },
  },
  {
    names: [`${e2e}/nautilus:1.8`],
    from: agnhost,
    files: testPage('nautilus'),
    config: { Entrypoint: ['/agnhost'], Cmd: ['test-webserver'] },
  },
  {
    names: [`${e2e}/kitten:1.8`],
    from: agnhost,
    files: [
      ...testPage('kitten'),
      // A test mounts this image as a volume and reads the name of the distribution that upstream builds on.
      { path: 'etc/os-release', content: { text: 'NAME="Alpine Linux"\nID=alpine\n' } },
    ],
    config: { Entrypoint: ['/agnhost'], Cmd: ['test-webserver'] },
  },
  {
    names: [busybox, `${e2e}/busybox:1.36.1-1`],
    files: [
      { path: 'bin/busybox', content: { debian: 'bin/busybox' } },
      { path: 'bin', content: { busyboxLinks: 'busybox' } },
      { path: 'bin/bash', content: { debian: 'bin/bash-static' } },
      { path: 'bin/sh', content: { program: 'busybox-sh' } },
      ...directories('tmp', 'root', 'home', 'var', 'usr', 'usr/bin', 'usr/sbin', 'sbin', 'dev', 'proc', 'sys'),
      ...rootAndNobody,
    ],
    config: { Cmd: ['sh'] },
  },
  { names: [`${e2e}/nonroot:1.5`], from: busybox, files: [], config: { Cmd: ['sh'], User: '1234' } },
  {
    names: [`${e2e}/nginx:1.15-4`, `${e2e}/nginx:1.27-0`],
    from: 'debian',
    files: [
      { path: 'etc/nginx/nginx.conf', content: { text: nginxConfiguration } },
      { path: 'usr/share/nginx/html/index.html', content: { text: nginxPage } },
    ],
    config: { Cmd: ['nginx', '-g', 'daemon off;'], ExposedPorts: ports(80), StopSignal: 'SIGQUIT' },
  },
  {
    names: [`${e2e}/nonewprivs:1.4`],
    from: 'debian',
    files: [{ path: 'usr/local/bin/nnp', mode: 0o6755, content: { program: 'nonewprivs' } }],
    config: { Cmd: ['nnp'] },
  },
  {
    names: [`${e2e}/sample-apiserver:1.29.2`],
    from: 'debian',
    files: [{ path: 'sample-apiserver', content: { program: 'sample-apiserver' } }],
    config: { Entrypoint: ['/sample-apiserver'] },
  },
  {
    names: ['registry.k8s.io/etcd:3.6.8-0'],
    from: 'debian',
    files: [{ path: 'usr/local/bin/etcd', content: { program: 'etcd' } }],
    config: { Cmd: ['/usr/local/bin/etcd'], WorkingDir: '/', ExposedPorts: ports(2379, 2380) },
  },
  {
    names: [`${e2e}/glibc-dns-testing:2.0.0`, `${e2e}/ipc-utils:1.4`, `${e2e}/perl:5.26`],
    from: 'debian',
    files: [],
    config: { Cmd: ['/bin/bash'] },
  },
];

/** The programs that the recipes need. */
export function programsOf(recipes: readonly ImageRecipe[]): ProgramName[] {
  const contents = recipes.flatMap(({ files }) => files.map(({ content }) => content));
  return [...new Set(contents.flatMap((content) => ('program' in content ? [content.program] : [])))];
}

/** Where the parts of a recipe come from, as texts that change when they do. */
export interface RecipeInputs {
  /** The stamp of a built program. */
  readonly stampOf: (program: ProgramName) => string;
  /** The release of Kubernetes, whose module has some of the files. */
  readonly kubernetesVersion: string;
  /** The hash of the image below, undefined for none. */
  readonly below: string | undefined;
  /** The hash of the Debian base. */
  readonly debian: string;
}

/** Raised when the code that packs images changes what it makes of the same recipe. */
const packing = 1;

/** Returns a hash that changes when the recipe or something that goes into the image does. */
export function recipeHash(recipe: ImageRecipe, inputs: RecipeInputs): string {
  const { files, config } = recipe;
  const contents = files.map(({ content }) => {
    if ('program' in content) return inputs.stampOf(content.program);
    if ('kubernetes' in content) return inputs.kubernetesVersion;
    if ('debian' in content || 'busyboxLinks' in content) return inputs.debian;
    return '';
  });
  return hashOf([packing, files, config, contents, inputs.below ?? '']);
}

/** Returns the hash of the Debian base. */
export function debianHash(mirror: string): string {
  return hashOf([packing, debianRelease, debianPackages, mirror]);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
