import { EmptyDirectory, emptyDirectoryPlugin } from './empty-directory.ts';
import type { PluginContext, VolumePlugin } from './volume-plugin.ts';

/** `emptyDir`: empty when the pod starts, and removed with it. */
export function emptyDir(context: PluginContext): VolumePlugin {
  const directory = new EmptyDirectory(context);
  return {
    name: emptyDirectoryPlugin,
    isRefreshed: false,
    usage: 'walk',
    supports: ({ volume }) => volume?.emptyDir !== undefined,
    async setUp(request) {
      await directory.setUp(request, request.spec.volume?.emptyDir ?? {}, request.name);
      return { path: request.directory, readOnly: false };
    },
    tearDown: (volume) => directory.tearDown(volume, volume.name),
  };
}
