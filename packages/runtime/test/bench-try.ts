import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { startDockerRegistry } from './docker-registry.ts';
import { testImage } from './test-image.ts';

const r = await startDockerRegistry();
const layers = await Promise.all(['l1', 'l2', 'l3'].map((l) => readFile(`/tmp/bench/${l}.tar`)));
const i = testImage({ layers, compress: (l) => gzipSync(l, { level: 6 }) });
await r.push('big', '1', i);
const one = testImage({ layers: [layers[0]!], compress: (l) => gzipSync(l, { level: 6 }) });
await r.push('one', '1', one);
console.log(r.host);
setInterval(() => {}, 1000);
process.on('SIGTERM', () => r.close().then(() => process.exit()));
