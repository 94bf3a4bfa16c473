export default async function teardown() {
  await globalThis.labTestStack?.stop();
}
