import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { tooLarge } from './incoming-response.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Decodes a compressed body. Undefined if it is not compressed. */
export const decoderOf = (
  encoding: string,
): ((body: AsyncIterable<Buffer>, maxBytes: number) => AsyncGenerator<Buffer, void>) | undefined => {
  const createDecoder = decoders[encoding.toLowerCase() as keyof typeof decoders]
  return createDecoder && ((body, maxBytes) => decode(body, createDecoder(), maxBytes))
}

/** The limit counts decoded bytes, so a decompression bomb is stopped early. */
async function* decode(
  body: AsyncIterable<Buffer>,
  decoder: NodeJS.ReadWriteStream,
  maxBytes: number,
): AsyncGenerator<Buffer, void> {
  const source = Readable.from(body)
  let size = 0
  try {
    // `compose` leaves an error of the decoder unhandled, which would end the process.
    for await (const chunk of pipeline(source, decoder, () => undefined)) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      yield chunk as Buffer
    }
  } finally {
    source.destroy()
  }
}

export const collect = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  const collected: Buffer[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return Buffer.concat(collected)
}
