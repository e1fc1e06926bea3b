// The documentation site: the Markdown of docs/, drawn by VitePress. `npm run docs`.

import { defineConfig } from 'vitepress'
import { anchorOf, drawHouseMarkdown } from '../markdown.ts'
import { readSections } from '../sidebar.ts'
import manifest from '../../package.json' with { type: 'json' }

const docs = new URL('../../docs', import.meta.url).pathname
const repository = (manifest as { repository?: { url?: string } }).repository?.url?.replace(/^git\+|\.git$/g, '') ?? ''
const sections = readSections(docs)
const linkTo = (file: string): string => `/${file.replace(/(index)?\.md$/, '')}`

export default defineConfig({
  title: 'Fanlight',
  description: manifest.description,
  lang: 'en',
  srcDir: '../docs',
  outDir: '../var/site',
  cacheDir: '../var/site-cache',
  cleanUrls: true,
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => drawHouseMarkdown(markdown, repository),
  },
  vite: { publicDir: new URL('../public', import.meta.url).pathname, server: { fs: { allow: ['../..'] } } },
  // The table of options has six columns: it gets the place of the list of headings.
  transformPageData: (page) => {
    if (page.relativePath === 'reference/options.md') page.frontmatter['aside'] = false
  },
  themeConfig: {
    logo: '/icon.svg',
    notFound: {
      title: 'No such page',
      quote: 'It may have moved. Ctrl K or / searches all pages.',
      linkText: 'Introduction',
      link: '/start/introduction',
    },
    nav: ['Start', 'Guides', 'Recipes', 'Reference'].flatMap((title) => {
      const page = sections.find((section) => section.title === title)?.pages[0]
      return page === undefined
        ? []
        : [{ text: title, link: linkTo(page.file), activeMatch: `^/${title.toLowerCase()}/` }]
    }),
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      collapsed: !['Start', 'Guides'].includes(title),
      items: pages.map((page) => ({ text: page.title, link: linkTo(page.file) })),
    })),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { fuzzy: 0.15, prefix: true, boost: { title: 4, text: 1, titles: 2 } } },
      },
    },
    ...(repository === '' ? {} : { socialLinks: [{ icon: 'github' as const, link: repository }] }),
  },
})
