const units = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Returns a number of bytes as people read it: `9.8 GiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${Math.floor(bytes)} B`;
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}
