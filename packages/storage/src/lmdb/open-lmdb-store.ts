import type { Clock } from '@coxswain/apimachinery/clock';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { CorruptLogError, MvccStore } from '../mvcc/index.ts';
import type { Store } from '../store.ts';
import { DataDirectory } from './data-directory.ts';
import { DataDirectoryError } from './data-directory-error.ts';
import { DiskRoom } from './disk-room.ts';
import { LmdbLog } from './lmdb-log.ts';

export interface LmdbSettings {
  readonly path: string;
  readonly mapSize: number;
  readonly clock: Clock;
  readonly eventLoop: EventLoop;
  readonly logger: Logger;
}

/** Opens the store in a data directory, or creates one. The directory is unlocked when the store is closed. */
export async function openLmdb({ path, mapSize, clock, eventLoop, logger }: LmdbSettings): Promise<Store> {
  const directory = await DataDirectory.open(path);
  const { file } = directory;
  const room = await DiskRoom.open({ file, clock, logger });
  let log: LmdbLog;
  try {
    log = new LmdbLog({ file, mapSize, room, eventLoop, onClosed: () => directory.release() });
  } catch (cause) {
    await room.close();
    await directory.release();
    throw new DataDirectoryError(path, `cannot be opened: ${messageOf(cause)}`, { cause });
  }
  try {
    await log.load();
    await directory.complete();
    return new MvccStore({ driver: 'lmdb', log, clock, eventLoop });
  } catch (error) {
    await log.close();
    // Errors of LMDB itself, such as `MDB_PAGE_NOTFOUND: Requested page not found`, mean that the file is damaged.
    const isDamage = error instanceof CorruptLogError || (error instanceof Error && /^MDB_/.test(error.message));
    if (isDamage) throw new DataDirectoryError(path, `is damaged: ${error.message}`, { cause: error });
    throw error;
  }
}
