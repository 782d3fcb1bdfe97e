import { expect, it } from 'vitest';
import { describeMissing, readImageUses, readUpstreamImages } from './upstream-images.ts';

const manifest = `
var (
	initRegistry = RegistryList{
		PromoterE2eRegistry:      "registry.k8s.io/e2e-test-images",
		GcRegistry:               "registry.k8s.io",
		PrivateRegistry:          "gcr.io/k8s-authenticated-test",
	}
)
	configs[Agnhost] = Config{list.PromoterE2eRegistry, "agnhost", "2.63.0"}
	configs[AgnhostPrivate] = Config{list.PrivateRegistry, "agnhost", "2.6"}
	configs[Pause] = Config{list.GcRegistry, "pause", "3.10.2"}
	configs[VolumeNFSServer] = Config{list.PromoterE2eRegistry, "volume/nfs", "1.6.0"}
`;
const test = `
	ginkgo.It("should mount", func(ctx context.Context) {
		image := imageutils.GetE2EImage(imageutils.VolumeNFSServer)
	})
	framework.ConformanceIt(\`should say "hello"\`, f.WithNodeConformance(), func(ctx context.Context) {
		images := []imageutils.ImageID{imageutils.Agnhost, imageutils.VolumeNFSServer}
	})
`;
const nfs = 'registry.k8s.io/e2e-test-images/volume/nfs:1.6.0';

it('reads the full names of the images that can be pulled', () => {
  expect(readUpstreamImages(manifest)).toEqual([
    { id: 'Agnhost', name: 'registry.k8s.io/e2e-test-images/agnhost:2.63.0' },
    { id: 'Pause', name: 'registry.k8s.io/pause:3.10.2' },
    { id: 'VolumeNFSServer', name: nfs },
  ]);
});

it('refuses a list in which it finds nothing', () => {
  expect(() => readUpstreamImages('package image')).toThrow('no image is in the list of upstream');
});

it('names the tests that use an image that is not made', () => {
  const uses = readImageUses('test/e2e/storage/nfs.go', test);
  const isMade = (name: string) => !name.includes('nfs') && !name.includes('pause');
  expect(describeMissing(readUpstreamImages(manifest), uses, isMade)).toEqual([
    'registry.k8s.io/pause:3.10.2: no test of test/e2e names it',
    `${nfs}:`,
    '  test/e2e/storage/nfs.go:3 (near “should mount”)',
    '  test/e2e/storage/nfs.go:6 (near “should say "hello"”)',
  ]);
});
