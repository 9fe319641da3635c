// Preloaded into a host (node --import): at the signal SIGUSR2 the machine's clock jumps by WALL_JUMP_MS,
// at the next one back again.
const RealDate = Date;
const jumpMs = Number(process.env.WALL_JUMP_MS ?? "0");
let offsetMs = 0;

process.on("SIGUSR2", () => (offsetMs = offsetMs === 0 ? jumpMs : 0));

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};
