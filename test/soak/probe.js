// Loaded into the watched process with --import, together with --expose-gc and an IPC channel. Answers each message
// with the process's memory, after a full collection if the message requests one; writes a heap snapshot if the message
// has a file name.
import { writeHeapSnapshot } from 'node:v8';

const nextTurn = () => new Promise(setImmediate);

process.on('message', async ({ collect, snapshot }) => {
  if (collect) {
    // Finalizers run between collections, and free more.
    for (let round = 0; round < 3; round++) {
      globalThis.gc();
      await nextTurn();
    }
  }
  if (snapshot) writeHeapSnapshot(snapshot);
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  const cpu = process.cpuUsage();
  process.send({ heapUsed, heapTotal, external, arrayBuffers, cpuSeconds: (cpu.user + cpu.system) / 1e6 });
});
// The channel must not keep the process alive, and its end must not end the process.
process.channel?.unref();
process.on('disconnect', () => {});
