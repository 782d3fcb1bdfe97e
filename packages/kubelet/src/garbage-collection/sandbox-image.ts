import type { RuntimeService } from '@coxswain/cri';

const timeoutMs = 120_000;

/**
 * Returns the name of the image of sandboxes, which no container uses. Undefined if the runtime does not tell it: containerd 1
 * does, and later versions pin the image.
 */
export async function sandboxImage(
  service: Pick<RuntimeService, 'status'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { info } = await service.status({ verbose: true }, { signal, timeoutMs });
  const name = parse(info.config ?? '')?.sandboxImage;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** What the text means is up to the runtime. Undefined if it is no object. */
function parse(text: string): { readonly sandboxImage?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
