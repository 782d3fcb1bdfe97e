import {
  type Commands,
  diskUsage,
  fileSystemUsage,
  SubPaths,
  setVolumeOwnership,
  UtilLinuxMounter,
} from '@coxswain/linux';
import type { VolumeHost } from './volume-host.ts';

/** This Linux machine, as volumes need it. Programs such as `mount` are run by `commands`. */
export function linuxVolumeHost(commands: Commands): VolumeHost {
  const mounter = new UtilLinuxMounter(commands);
  return { mounter, subPaths: new SubPaths(mounter), setVolumeOwnership, diskUsage, fileSystemUsage };
}
