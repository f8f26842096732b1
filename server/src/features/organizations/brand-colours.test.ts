import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrandTheme, brandColours, contrast } from './brand-colours.ts'

const SURFACES = {
  light: ['#ffffff', '#f5f6f8', '#f1f3f6'],
  dark: ['#16191f', '#1e222a', '#0c0e12'],
}
const THEMES = ['light', 'dark'] as const
const INKS = ['#ffffff', '#0b1026']

const hex = (red: number, green: number, blue: number): string =>
  `#${[red, green, blue].map(byte => byte.toString(16).padStart(2, '0')).join('')}`

/** Every corner and edge of the cube, every grey, and colours spread over the rest of it. */
const colours = (): string[] => {
  const steps = [0, 1, 51, 102, 127, 128, 153, 204, 254, 255]
  const cube = steps.flatMap(red => steps.flatMap(green => steps.map(blue => hex(red, green, blue))))
  const greys = Array.from({ length: 256 }, (_, level) => hex(level, level, level))
  let seed = 42
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % 256
  }
  const spread = Array.from({ length: 1000 }, () => hex(next(), next(), next()))
  return [...new Set([...cube, ...greys, ...spread])]
}

const standsOut = (colour: string, theme: 'light' | 'dark'): boolean =>
  SURFACES[theme].every(surface => contrast(colour, surface) >= 3)
const takesText = (colour: string): boolean => INKS.some(ink => contrast(colour, ink) >= 4.5)

const assertReadable = (
  { primary, on_primary, ratio, accent }: BrandTheme,
  theme: 'light' | 'dark',
  from: string,
) => {
  assert.match(primary, /^#[0-9a-f]{6}$/, from)
  assert.ok(INKS.includes(on_primary), from)
  assert.ok(contrast(primary, on_primary) >= 4.5, `${from} → ${primary} with ${on_primary}`)
  assert.ok(ratio >= 4.5 && ratio <= contrast(primary, on_primary), `${from}: ${ratio}`)
  assert.match(accent, /^#[0-9a-f]{6}$/, from)
  assert.ok(standsOut(accent, theme), `${from} → ${accent}`)
}

describe('brand colours', () => {
  it('measure contrast as WCAG does', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21)
    assert.equal(contrast('#ffffff', '#ffffff'), 1)
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
    assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54')
    assert.equal(contrast('#ff0000', '#0000ff'), contrast('#0000ff', '#ff0000'))
  })

  it('are the product’s own where none is set', () => {
    const { light, dark } = brandColours({})
    assert.deepEqual([light.primary, light.on_primary], ['#1f2a44', '#ffffff'])
    assert.deepEqual([dark.primary, dark.on_primary], ['#8fa8ff', '#0b1026'])
    assert.deepEqual(brandColours({ primary_color: '#1F2A44' }), { light, dark })
  })

  it('can be read in both themes, whatever was chosen', () => {
    const chosen = colours()
    assert.ok(chosen.length >= 2000, `${chosen.length}`)
    for (const colour of chosen) {
      const derived = brandColours({ primary_color: colour })
      const given = brandColours({ primary_color: colour, primary_color_dark: colour })
      for (const theme of THEMES) {
        assertReadable(derived[theme], theme, colour)
        assertReadable(given[theme], theme, colour)
      }
    }
  })

  it('stay as they are where they can be read already', () => {
    let kept = 0
    for (const colour of colours()) {
      const given = brandColours({ primary_color: colour, primary_color_dark: colour })
      for (const theme of THEMES) {
        if (!takesText(colour)) continue
        kept += 1
        assert.equal(given[theme].primary, colour, 'a button has the colour that was chosen')
        if (standsOut(colour, theme)) assert.equal(given[theme].accent, colour)
      }
    }
    assert.ok(kept > 1000)
  })

  it('keep their hue, and move no further than needed', () => {
    // A yellow that is too light for white paper becomes a darker one: red and green still lead, blue still trails.
    const [red, green, blue] = channels(brandColours({ primary_color: '#ffd400' }).light.accent)
    assert.ok(red > blue + 60 && green > blue + 60)
    for (const colour of ['#ffd400', '#00ffff', '#ffffff', '#ff80ff']) {
      const { accent } = brandColours({ primary_color: colour }).light
      const least = Math.min(...SURFACES.light.map(surface => contrast(accent, surface)))
      assert.ok(least < 3.1, `${colour} → ${accent}: ${least}`)
    }
  })

  it('are lifted for dark pages, and left alone where they are bright enough', () => {
    const navy = brandColours({ primary_color: '#0a1f5c' })
    assert.equal(navy.light.primary, '#0a1f5c')
    assert.ok(contrast(navy.dark.primary, '#000000') > contrast('#0a1f5c', '#000000'))
    const [red, , blue] = channels(navy.dark.primary)
    assert.ok(blue > red)
    assert.equal(brandColours({ primary_color: '#e8590c' }).dark.primary, '#e8590c')
  })

  it('take the dark one as given', () => {
    const { light, dark } = brandColours({ primary_color_dark: '#FFD400' })
    assert.deepEqual([light.primary, dark.primary, dark.on_primary], ['#1f2a44', '#ffd400', '#0b1026'])
  })
})

const channels = (colour: string): [number, number, number] => {
  const value = Number.parseInt(colour.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
