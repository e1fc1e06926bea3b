import {
  Body,
  Controller,
  Get,
  Inject,
  NotFoundException,
  Param,
  Post,
  UnprocessableEntityException,
} from '@nestjs/common'
import { Notes, type Note } from './notes.ts'

@Controller()
export class NotesController {
  readonly #notes: Notes

  constructor(@Inject(Notes) notes: Notes) {
    this.#notes = notes
  }

  @Get()
  home(): string {
    return '<h1>Notes</h1><p><a href="/notes">All notes</a></p>'
  }

  @Get('notes')
  list(): readonly Note[] {
    return this.#notes.list()
  }

  @Get('notes/:id')
  find(@Param('id') id: string): Note {
    const note = this.#notes.find(Number(id))
    if (note === undefined) throw new NotFoundException('There is no such note')
    return note
  }

  @Post('notes')
  add(@Body() body: { text?: unknown } | undefined): Note {
    const text = body?.text
    if (typeof text !== 'string' || text.trim() === '') throw new UnprocessableEntityException('text is missing')
    return this.#notes.add(text.trim())
  }
}
