import { resolve } from 'node:path';
import { flag, string } from '@coxswain/component-base';
import { type CommandBody, type Invocation, UsageError } from '@coxswain/component-base/cli';
import { connectRuntime, type ImageService } from '@coxswain/cri';
import { columns } from '../columns.ts';
import type { CoxContext } from '../context.ts';
import { outputFlag, outputFormat, printed } from '../output.ts';
import { type ImageControl, openImageControl, type Progress } from './image-control-client.ts';
import { ProgressBars, sizeText } from './progress-bars.ts';
import { endpointOf, runtimeFlags } from './runtime-flags.ts';

const pullFlags = {
  ...runtimeFlags,
  creds: flag(string, 'Name and password for the registry: USER:PASSWORD. Pods use their own, from imagePullSecrets'),
};

const pullCommand: CommandBody<CoxContext> = {
  long: 'Pull images to this machine, so that pods start at once.',
  examples: 'cox image pull nginx:1.27',
  flags: pullFlags,
  args: { usage: 'IMAGE...', least: 1 },
  async run(invocation) {
    const { creds } = invocation.flags(pullFlags);
    const colon = creds?.indexOf(':') ?? 0;
    if (creds !== undefined && colon < 1) throw new UsageError('--creds must be USER:PASSWORD');
    const login =
      creds === undefined ? undefined : { username: creds.slice(0, colon), password: creds.slice(colon + 1) };
    const { terminal } = invocation.context;
    await withControl(invocation, async (control) => {
      for (const image of invocation.args) {
        for (const name of await shown(invocation, control.pull(image, login))) terminal.out(`${name}\n`);
      }
    });
    return 0;
  },
};

const loadCommand: CommandBody<CoxContext> = {
  long: 'Load the images of archives: those of docker save, or with an OCI layout, compressed or not.',
  examples: 'docker save my-app:dev -o my-app.tar\ncox image load my-app.tar',
  flags: runtimeFlags,
  args: { usage: 'FILE...', least: 1 },
  async run(invocation) {
    const { terminal } = invocation.context;
    await withControl(invocation, async (control) => {
      for (const file of invocation.args) {
        const names = await shown(invocation, control.load(resolve(file)));
        for (const name of names) terminal.out(`${name}\n`);
      }
    });
    return 0;
  },
};

const listFlags = { ...runtimeFlags, output: outputFlag };

const listCommand: CommandBody<CoxContext> = {
  long: 'List the images of this machine.',
  flags: listFlags,
  async run(invocation) {
    const { terminal } = invocation.context;
    const format = outputFormat(invocation.flags(listFlags).output);
    const { images } = await withImages(invocation, (service) => service.listImages({}));
    if (format) {
      terminal.out(await printed({ images }, format));
      return 0;
    }
    const rows = images.flatMap(({ id, repoTags, size }) =>
      (repoTags.length > 0 ? repoTags : ['<none>:<none>']).map((name) => {
        const colon = name.lastIndexOf(':');
        return [name.slice(0, colon), name.slice(colon + 1), id.replace('sha256:', '').slice(0, 13), sizeText(size)];
      }),
    );
    terminal.out(columns([['IMAGE', 'TAG', 'IMAGE ID', 'SIZE'], ...rows.sort()]));
    return 0;
  },
};

const removeCommand: CommandBody<CoxContext> = {
  long: 'Remove images. Containers that use them keep running.',
  flags: runtimeFlags,
  args: { usage: 'IMAGE...', least: 1 },
  async run(invocation) {
    const { terminal } = invocation.context;
    await withImages(invocation, async (service) => {
      for (const name of invocation.args) {
        const { image } = await service.imageStatus({ image: { image: name } });
        if (!image) throw new Error(`no such image: ${name}`);
        await service.removeImage({ image: { image: name } });
        terminal.out(`removed ${name}\n`);
      }
    });
    return 0;
  },
};

const pruneCommand: CommandBody<CoxContext> = {
  long: 'Remove all images that no container uses.',
  flags: runtimeFlags,
  async run(invocation) {
    const { terminal } = invocation.context;
    const images = await withControl(invocation, (control) => control.prune());
    for (const name of images) terminal.out(`removed ${name}\n`);
    if (images.length === 0) terminal.err('all images are in use\n');
    return 0;
  },
};

export const imageCommand: CommandBody<CoxContext> = {
  long: 'Pull, load, list and remove the images of this machine.',
  commands: [
    { name: 'pull', short: 'Pull images', load: async () => pullCommand },
    { name: 'load', short: 'Load images from archives', load: async () => loadCommand },
    { name: 'list', aliases: ['ls'], short: 'List images', load: async () => listCommand },
    { name: 'rm', short: 'Remove images', load: async () => removeCommand },
    { name: 'prune', short: 'Remove all images that no container uses', load: async () => pruneCommand },
  ],
};

async function withControl<T>(
  invocation: Invocation<CoxContext>,
  use: (control: ImageControl) => Promise<T>,
): Promise<T> {
  const control = await openImageControl(await endpointOf(invocation));
  try {
    return await use(control);
  } finally {
    control.close();
  }
}

async function withImages<T>(
  invocation: Invocation<CoxContext>,
  use: (images: ImageService) => Promise<T>,
): Promise<T> {
  const { images, close } = await connectRuntime(await endpointOf(invocation));
  try {
    return await use(images);
  } finally {
    close();
  }
}

/** Shows the progress and returns the images of the last message. */
async function shown(
  { context: { terminal } }: Invocation<CoxContext>,
  progress: Progress,
): Promise<readonly string[]> {
  const bars = new ProgressBars(terminal, process.stderr.isTTY === true);
  for await (const { layer, images, ...part } of progress) {
    if (layer === '') return images;
    bars.show({ name: layer.replace('sha256:', '').slice(0, 12), ...part });
  }
  return [];
}
