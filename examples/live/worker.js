// The interpreter, one for all runs: it answers {code} with {text} as the code prints, then with {status}, 0 if all is well.
let turn;

async function start({module, library, inside}) {
  const screen = () => { const read = new TextDecoder(); return new ConsoleStdout((part) => postMessage({text: read.decode(part, {stream: true})})); };
  const zip = new PreopenDirectory("/usr/local/lib", [["python315.zip", new File(library)]]);
  const wasi = new WASI(["python"], ["NO_COLOR=1", "OPENBLAS_NUM_THREADS=1"], [new OpenFile(new File([])), screen(), screen(), zip]);
  wasi.initialize(await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi.wasiImport, host: {call: () => -1}}));
  const {host_alloc, turn: run, memory} = wasi.inst.exports;
  turn = (code) => {
    const bytes = new TextEncoder().encode(code), place = host_alloc(bytes.length) >>> 0;
    new Uint8Array(memory.buffer).set(bytes, place);
    return run(place, bytes.length);
  };
}

onmessage = async ({data}) => {
  try {
    if (data.module) await start(data);
    postMessage({status: turn(data.code)});
  } catch (error) { postMessage({status: String(error)}); }
};
