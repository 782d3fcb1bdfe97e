import { expect, it } from 'vitest';
import { orderOfModules } from './kernel-modules.ts';

const dependencies = `kernel/virtio.ko:
kernel/virtio_pci.ko: kernel/virtio_ring.ko kernel/virtio.ko
kernel/virtio_ring.ko: kernel/virtio.ko
kernel/other.ko: kernel/virtio.ko
`;

it('modules come after those that they need, each of them once', () => {
  expect(orderOfModules(dependencies, ['virtio_pci', 'virtio_ring'])).toEqual([
    'kernel/virtio.ko',
    'kernel/virtio_ring.ko',
    'kernel/virtio_pci.ko',
  ]);
});

it('a module that is built into the kernel is not loaded', () => {
  expect(orderOfModules(dependencies, ['ext4'])).toEqual([]);
});
