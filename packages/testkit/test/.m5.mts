import { startCluster } from '@coxswain/testkit';
let from;
for (let i = 0; i < 14; i++) {
  const t0 = performance.now(); const c0 = process.cpuUsage();
  const c = await startCluster(i > 7 ? {from} : {});
  const t1 = performance.now(); const c1 = process.cpuUsage(c0);
  await c.settle();
  const t2 = performance.now();
  from ??= c.snapshot();
  await c.stop();
  const t3 = performance.now();
  console.log(i>7?"from":"new", "cpu", ((c1.user+c1.system)/1000).toFixed(), 'start', (t1-t0).toFixed(), 'settle', (t2-t1).toFixed(), 'stop', (t3-t2).toFixed());
}
