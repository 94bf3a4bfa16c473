import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity()
export class Coupon {
  @PrimaryColumn({ length: 20 })
  code!: string;

  @Column({ type: 'varchar', length: 40, nullable: true })
  redeemedBy!: string | null;

  /** The highest token of a lock that has written this row. */
  @Column({ default: 0 })
  fence!: number;
}

/** What a customer got. Without a unique key, nothing in the database prevents two for one coupon. */
@Entity()
export class Redemption {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ length: 20 })
  code!: string;

  @Column({ length: 40 })
  customer!: string;
}

/** As `Redemption`, and there may be one for each coupon. */
@Entity()
@Unique(['code'])
export class UniqueRedemption {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ length: 20 })
  code!: string;

  @Column({ length: 40 })
  customer!: string;
}
